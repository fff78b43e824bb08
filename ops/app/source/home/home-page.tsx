/** The home: what needs the caller, the collections, what runs, and the way back to recent screens. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { collectionsQuery, useIsAdministrator } from '../data/queries.ts';
import { CollectionMenu } from '../navigation/collection-menu.tsx';
import { useListedCollections } from '../navigation/use-listed-collections.ts';
import { Failure } from '../shell/failure.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { SectionMenu } from '../shell/section-menu.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { CollectionPart, WaitingCards } from './collection-part.tsx';
import { FirstSteps } from './first-steps.tsx';
import { JobPart } from './job-part.tsx';
import { NeedPart } from './need-part.tsx';
import { PinnedPart, RecentPart } from './recent-part.tsx';
import { RequestPart } from './request-part.tsx';

const PARTS = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: 'minmax(0, 1fr)',
  alignContent: 'start',
} as const;

function Parts() {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const collections = useQuery(collectionsQuery);
  const branches = useListedCollections();
  const [first] = branches;
  if (collections.isPending) return <WaitingCards />;
  if (collections.isError && collections.data === undefined) {
    return <Failure error={collections.error} retry={() => collections.refetch()} />;
  }
  return (
    <>
      <NeedPart />
      {first !== undefined ? (
        <CollectionPart branches={branches} />
      ) : administrator ? (
        <FirstSteps />
      ) : (
        <Message icon="lock" title={translate('home.nothing')}>
          {translate('navigation.noneForYou')}
        </Message>
      )}
      <Box
        sx={{
          ...PARTS,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Box sx={PARTS}>
          <PinnedPart />
          <RecentPart />
        </Box>
        <Box sx={PARTS}>
          <JobPart />
        </Box>
      </Box>
      {first !== undefined && <RequestPart branch={first} />}
    </>
  );
}

export function Component() {
  const translate = useTranslate();
  return (
    <>
      <SectionMenu>
        <CollectionMenu />
      </SectionMenu>
      <PageHeader title={translate('home.title')} passing />
      <Box sx={{ ...PARTS, p: { xs: 1.5, md: 3 }, gap: 3, maxWidth: 1280 }}>
        <Parts />
      </Box>
    </>
  );
}

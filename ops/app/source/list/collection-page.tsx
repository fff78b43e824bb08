/** The screen of a collection: its list, or the form of the one item of a singleton. */
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router-dom';
import { collectionsQuery, fieldsQuery, relationsQuery, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ListPage } from './list-page.tsx';
import { presetsQuery } from './use-bookmarks.ts';
import { presetQuery } from './use-own-preset.ts';

const SingletonPage = lazy(() =>
  import('../form/item-page.tsx').then(({ Component }) => ({ default: Component })),
);

export function Component() {
  const translate = useTranslate();
  const { collection: name = '' } = useParams();
  const rights = useRights();
  const collections = useQuery(collectionsQuery);
  const fields = useQuery({ ...fieldsQuery(name), enabled: may(rights, name, 'read') });
  const relations = useQuery(relationsQuery);
  // Beside the schema: the list begins as it was left.
  usePrefetchQuery(presetsQuery(name));
  usePrefetchQuery(presetQuery(name));
  const collection = collections.data?.get(name);
  if (collections.data !== undefined && (collection === undefined || !may(rights, name, 'read'))) {
    return (
      <>
        <PageHeader title={humanize(name)} passing />
        <Message icon="lock" title={translate('list.noCollection')}>
          {translate('list.noCollectionHelp')}
        </Message>
      </>
    );
  }
  const failed = [collections, fields, relations].find(({ error }) => error !== null);
  if (failed !== undefined) return <Failure error={failed.error} retry={() => failed.refetch()} />;
  if (!collection || !fields.data || !relations.data) return <Loading />;
  if (collection.meta?.singleton) {
    return (
      <Suspense fallback={<Loading />}>
        <SingletonPage />
      </Suspense>
    );
  }
  return (
    <ListPage key={name} collection={collection} fields={fields.data} relations={relations.data} />
  );
}

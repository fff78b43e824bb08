/** All collections and folders, as they stand in the menu. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { collectionsQuery } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { CollectionList, MovableCollections } from './collection-list.tsx';
import { type CollectionRow, collectionRows, isSystem } from './collection-rows.ts';
import { NEW_COLLECTION } from './route.ts';

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useQuery(collectionsQuery);
  const [withSystem, setWithSystem] = useStore('model.system', false);
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim().toLowerCase());
  const [own, system] = useMemo(() => {
    const all = [...(collections.data?.values() ?? [])];
    const known = all.filter((collection) => !isSystem(collection));
    return [collectionRows(known, locale), collectionRows(all.filter(isSystem), locale)];
  }, [collections.data, locale]);
  const found = ({ name, collection }: CollectionRow) =>
    [name, collection.collection].some((text) => text.toLowerCase().includes(search));
  const fitting = (rows: readonly CollectionRow[]) =>
    rows.filter(found).map((row) => ({ ...row, depth: 0 }));
  const ownFound = search === '' ? own : fitting(own);
  const systemFound = withSystem ? fitting(system) : [];
  const create = (
    <Button
      variant="contained"
      component={Link}
      to={NEW_COLLECTION}
      startIcon={<Icon name="add" />}
    >
      {translate('model.createCollection')}
    </Button>
  );
  return (
    <>
      <PageHeader title={translate('model.collections')} actions={create} />
      <Box sx={{ p: { xs: 1.5, md: 3 }, maxWidth: 920 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, mb: 2, alignItems: 'center' }}>
          <TextField
            type="search"
            label={translate('model.search')}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            sx={{ flex: '1 1 200px', maxWidth: 320 }}
          />
          <FormControlLabel
            control={
              <Switch
                checked={withSystem}
                onChange={(_, checked) => setWithSystem(checked)}
                size="small"
              />
            }
            label={translate('model.showSystem')}
            slotProps={{ typography: { variant: 'body2' } }}
          />
        </Box>
        {collections.isError ? (
          <Failure error={collections.error} retry={() => collections.refetch()} />
        ) : collections.isPending ? (
          <Loading />
        ) : search !== '' && ownFound.length + systemFound.length === 0 ? (
          <Message icon="search" title={translate('model.nothingFound')} />
        ) : (
          <Box sx={{ display: 'grid', gap: 3 }}>
            {own.length === 0 && search === '' && (
              <Message icon="database" title={translate('model.none')} actions={create}>
                {translate('model.noneHelp')}
              </Message>
            )}
            {ownFound.length > 0 &&
              (search === '' ? (
                <MovableCollections rows={own} label={translate('model.collections')} />
              ) : (
                <CollectionList rows={ownFound} label={translate('model.collections')} />
              ))}
            {systemFound.length > 0 && (
              <Box component="section" sx={{ display: 'grid', gap: 1.5 }}>
                <Typography variant="h2">{translate('model.systemCollections')}</Typography>
                <CollectionList rows={systemFound} label={translate('model.systemCollections')} />
              </Box>
            )}
          </Box>
        )}
      </Box>
    </>
  );
}

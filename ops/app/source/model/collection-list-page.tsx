/** All collections and folders, as they stand in the menu. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useStore, useTranslate } from 'ra-core';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { collectionsQuery } from '../data/queries.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { type CollectionRow, collectionRows, isSystem } from './collection-rows.ts';
import { collectionPath, NEW_COLLECTION, settingsPath } from './route.ts';

function Row({ row }: { readonly row: CollectionRow }) {
  const translate = useTranslate();
  const { collection, name, depth } = row;
  const { meta, schema } = collection;
  const isFolder = schema === null;
  const marks = [
    ...(isFolder ? ['folder'] : []),
    ...(meta?.singleton ? ['singleton'] : []),
    ...(meta?.hidden ? ['hidden'] : []),
    ...(isSystem(collection) ? ['system'] : []),
  ];
  return (
    <Box component="li" sx={{ '& + &': { borderTop: 1, borderColor: 'divider' } }}>
      <Box
        component={Link}
        to={isFolder ? settingsPath(collection.collection) : collectionPath(collection.collection)}
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1.5,
          minHeight: 52,
          py: 0.75,
          paddingInlineEnd: 1.5,
          paddingInlineStart: 2 + depth * 3,
          color: 'text.primary',
          textDecoration: 'none',
          '&:hover': { bgcolor: 'action.hover' },
          '&:focus-visible': { outlineOffset: -2 },
        }}
      >
        <NamedIcon
          name={meta?.icon ?? null}
          fallback={isFolder ? 'folder' : 'list'}
          sx={{ fontSize: 22, color: 'text.secondary' }}
          {...(meta?.color && { style: { color: meta.color } })}
        />
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5, alignItems: 'baseline' }}>
            <Typography component="span" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {name}
            </Typography>
            <Typography
              component="code"
              sx={{ fontFamily: 'monospace', fontSize: 12.5, color: 'text.secondary' }}
            >
              {collection.collection}
            </Typography>
          </Box>
          {meta?.note && (
            <Typography variant="body2" color="textSecondary">
              {meta.note}
            </Typography>
          )}
        </Box>
        {marks.map((mark) => (
          <Chip
            key={mark}
            size="small"
            variant="outlined"
            label={translate(`model.mark.${mark}`)}
          />
        ))}
        <Icon
          name="chevron_right"
          sx={{
            color: 'text.secondary',
            transform: ({ direction }) => (direction === 'rtl' ? 'scaleX(-1)' : 'none'),
          }}
        />
      </Box>
    </Box>
  );
}

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useQuery(collectionsQuery);
  const [withSystem, setWithSystem] = useStore('model.system', false);
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim().toLowerCase());
  const rows = useMemo(() => {
    const shown = [...(collections.data?.values() ?? [])].filter(
      (collection) => withSystem || !isSystem(collection),
    );
    const all = collectionRows(shown, locale);
    if (search === '') return all;
    return all
      .filter(({ name, collection }) =>
        [name, collection.collection].some((text) => text.toLowerCase().includes(search)),
      )
      .map((row) => ({ ...row, depth: 0 }));
  }, [collections.data, locale, search, withSystem]);
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
        ) : rows.length === 0 && search !== '' ? (
          <Message icon="search" title={translate('model.nothingFound')} />
        ) : rows.length === 0 ? (
          <Message icon="database" title={translate('model.none')} actions={create}>
            {translate('model.noneHelp')}
          </Message>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
              {rows.map((row) => (
                <Row key={row.collection.collection} row={row} />
              ))}
            </Box>
          </Paper>
        )}
      </Box>
    </>
  );
}

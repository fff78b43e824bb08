/** Chooses items of a collection that exist: searched, several at once where several fit. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { client } from '../data/client.ts';
import { useFields } from '../data/queries.ts';
import type { Filter, Item } from '../data/schema-types.ts';
import { FileSign } from '../display/file-sign.tsx';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate } from '../display/template.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { idOf, keyValueOf } from './list-change.ts';
import { shownPaths } from './related.ts';

const PAGE = 50;

export interface PickerDialogProps {
  readonly title: string;
  readonly collection: string;
  readonly filter?: Filter | null;
  /** The texts of keys that are there already. */
  readonly taken: ReadonlySet<string>;
  /** Whether one is chosen, by a click. */
  readonly single?: boolean;
  readonly onPick: (items: readonly Item[]) => void;
  readonly onClose: () => void;
}

export function PickerDialog(props: PickerDialogProps) {
  const { title, collection, filter, taken, single = false, onPick, onClose } = props;
  const translate = useTranslate();
  const id = useId();
  const fields = useFields(collection);
  const template = useTemplate(collection);
  const [search, setSearch] = useState('');
  const asked = useDeferredValue(search.trim());
  const [limit, setLimit] = useState(PAGE);
  const [picked, setPicked] = useState<ReadonlyMap<string, Item>>(new Map());
  const paths = shownPaths(collection, fields, template);
  const found = useQuery({
    queryKey: ['items', collection, 'list', 'picker', paths, asked, limit, filter],
    queryFn: ({ signal }): Promise<Item[]> =>
      client.items(collection).list(
        {
          fields: paths,
          limit: limit + 1,
          ...(asked !== '' && { search: asked }),
          ...(filter && { filter }),
        },
        { signal },
      ),
    enabled: fields.length > 0,
    placeholderData: (before) => before,
  });
  const rows = (found.data ?? []).slice(0, limit).flatMap((item) => {
    const key = keyValueOf(fields, item);
    if (key === null || taken.has(idOf(key))) return [];
    return [{ item, id: idOf(key), name: fillTemplate(template, item) || String(key) }];
  });
  const toggle = (rowId: string, item: Item) =>
    setPicked((known) => {
      const next = new Map(known);
      if (!next.delete(rowId)) next.set(rowId, item);
      return next;
    });
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <TextField
          autoFocus
          type="search"
          label={translate('list.search')}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          sx={{ my: 1 }}
        />
        {found.error !== null && found.data === undefined && (
          <Failure error={found.error} retry={() => found.refetch()} />
        )}
        {found.data === undefined && found.error === null && <Loading />}
        <List dense aria-label={title}>
          {rows.map(({ item, id: rowId, name }) => (
            <ListItem key={rowId} disablePadding>
              <ListItemButton
                {...(!single && { role: 'checkbox', 'aria-checked': picked.has(rowId) })}
                onClick={() => (single ? onPick([item]) : toggle(rowId, item))}
              >
                {!single && (
                  <ListItemIcon sx={{ minWidth: 36, color: 'primary.main' }}>
                    <Icon name={picked.has(rowId) ? 'check_box' : 'add'} fontSize="small" />
                  </ListItemIcon>
                )}
                {collection === 'system_files' && (
                  <ListItemIcon sx={{ minWidth: 52 }}>
                    <FileSign file={item} size={40} />
                  </ListItemIcon>
                )}
                <ListItemText primary={name} />
              </ListItemButton>
            </ListItem>
          ))}
        </List>
        {found.data !== undefined && rows.length === 0 && (
          <Box sx={{ color: 'text.secondary', py: 2 }}>{translate('relation.nothingToPick')}</Box>
        )}
        {(found.data?.length ?? 0) > limit && (
          <Button onClick={() => setLimit(limit + PAGE)}>{translate('relation.more')}</Button>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        {!single && (
          <Button
            variant="contained"
            disabled={picked.size === 0}
            onClick={() => onPick([...picked.values()])}
          >
            {translate('relation.addPicked', { smart_count: picked.size })}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

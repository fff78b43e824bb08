/** The history of an item: who changed what and when, and the way back. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { personName } from '../display/person.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify } from '../shell/notify.ts';
import { SideDrawer } from '../shell/side-drawer.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Differences } from './differences.tsx';

/** Of which the compiler knows no fields: they are chosen at run time. */
const REVISIONS: string = 'system_revisions';
const PAGE = 20;

interface HistoryDrawerProps {
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly itemKey: string;
  /** As it is stored now. */
  readonly item: Item;
  readonly onClose: () => void;
}

const ACTIONS = new Map([
  ['create', 'create'],
  ['revert', 'wasReverted'],
  ['import', 'import'],
  ['upload', 'upload'],
]);

export function HistoryDrawer({ collection, fields, itemKey, item, onClose }: HistoryDrawerProps) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const [chosen, setChosen] = useState<number | null>(null);
  const [asks, setAsks] = useState(false);
  const knowsPeople = may(rights, 'system_users', 'read');
  const person = ['first_name', 'last_name', 'email'].map((name) => `activity.user.${name}`);
  const read: readonly string[] = [
    ...['id', 'data', 'delta', 'activity.action', 'activity.timestamp'],
    ...(knowsPeople ? person : ['activity.user']),
  ];
  const revisions = useInfiniteQuery({
    queryKey: ['items', 'system_revisions', 'of', collection, itemKey],
    initialPageParam: 1,
    queryFn: ({ signal, pageParam }): Promise<Item[]> =>
      client.items(REVISIONS).list(
        {
          fields: read,
          filter: { collection: { _eq: collection }, item: { _eq: itemKey } },
          sort: ['-id'],
          limit: PAGE,
          page: pageParam,
        },
        { signal },
      ),
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length + 1),
  });
  const revert = useMutation({
    mutationFn: (id: number) => client.utils.revert(id),
    onSuccess: async () => {
      notify('history.reverted', { type: 'success' });
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['items'] });
    },
  });
  const list = revisions.data?.pages.flat() ?? [];
  const index = list.findIndex(({ id }) => id === chosen);
  const current = list[index];
  const before = list[index + 1];
  const dataOf = (revision: Item | undefined): Item =>
    revision !== undefined && isItem(revision.data) ? revision.data : {};
  const headOf = ({ activity }: Item) => {
    const { action = '', timestamp = '', user } = isItem(activity) ? activity : {};
    const what = ACTIONS.get(String(action)) ?? 'update';
    return {
      what: translate(`history.${what}`),
      when: formatDate('timestamp', String(timestamp)),
      who: personName(user) ?? translate('history.somebody'),
    };
  };
  return (
    <SideDrawer title={translate('history.history')} onClose={onClose}>
      {revisions.isPending && <Loading />}
      {revisions.error !== null && revisions.data === undefined && (
        <Failure error={revisions.error} retry={() => revisions.refetch()} />
      )}
      {revisions.data !== undefined && list.length === 0 && (
        <Box sx={{ color: 'text.secondary' }}>{translate('history.none')}</Box>
      )}
      <List dense disablePadding>
        {list.map((revision, place) => {
          const { what, when, who } = headOf(revision);
          const isChosen = revision.id === chosen;
          return (
            <ListItem key={String(revision.id)} disablePadding sx={{ display: 'block' }}>
              <ListItemButton
                aria-expanded={isChosen}
                onClick={() => setChosen(isChosen ? null : Number(revision.id))}
              >
                <ListItemText primary={`${what} · ${who}`} secondary={when} />
              </ListItemButton>
              {isChosen && current !== undefined && (
                <Box sx={{ px: 2, pb: 2 }}>
                  <Differences
                    fields={fields}
                    before={before === undefined ? {} : dataOf(before)}
                    after={dataOf(current)}
                  />
                  {place > 0 && may(rights, collection, 'update') && (
                    <Button sx={{ mt: 1 }} variant="outlined" onClick={() => setAsks(true)}>
                      {translate('history.revert')}
                    </Button>
                  )}
                </Box>
              )}
            </ListItem>
          );
        })}
      </List>
      {revisions.hasNextPage && (
        <Button fullWidth onClick={() => revisions.fetchNextPage()}>
          {translate('relation.more')}
        </Button>
      )}
      <ConfirmDialog
        open={asks}
        title={translate('history.revertTitle')}
        confirm={translate('history.revert')}
        busy={revert.isPending}
        error={revert.error}
        onConfirm={() => chosen !== null && revert.mutate(chosen)}
        onClose={() => setAsks(false)}
      >
        {translate('history.revertText')}
        <Differences fields={fields} before={item} after={dataOf(current)} />
      </ConfirmDialog>
    </SideDrawer>
  );
}

/** Who did what, the latest first. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { DataTable } from '../shell/data-table.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ActivitySubject } from './activity-subject.tsx';
import { CALM } from './live.ts';

interface Activity {
  readonly id: number;
  readonly action: string;
  readonly timestamp: string;
  readonly collection: string;
  readonly item: string;
  readonly ip: string | null;
  readonly user: { readonly email: string | null } | null;
}

const PER_PAGE = 50;
const ACTIONS = ['create', 'update', 'delete', 'login', 'logout', 'upload', 'revert'] as const;
const FIELDS = ['id', 'action', 'timestamp', 'collection', 'item', 'ip', 'user.email'];
const HEADS = ['when', 'who', 'action', 'what'] as const;

export function Component() {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const [action, setAction] = useState('');
  const [page, setPage] = useState(1);
  const list = useQuery({
    queryKey: ['activity', action, page],
    queryFn: ({ signal }) =>
      client.request<Activity[]>('GET', '/activity', {
        query: {
          fields: FIELDS,
          sort: ['-id'],
          limit: PER_PAGE + 1,
          offset: (page - 1) * PER_PAGE,
          ...(action !== '' && { filter: { action: { _eq: action } } }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: CALM,
  });
  const rows = list.data?.slice(0, PER_PAGE) ?? [];
  return (
    <>
      <PageHeader title={translate('operations.activity')} />
      <Box sx={{ p: { xs: 1.5, md: 3 } }}>
        <NativeSelect
          label={translate('operations.action')}
          value={action}
          onChange={({ target }) => {
            setAction(target.value);
            setPage(1);
          }}
          sx={{ width: 200, mb: 2 }}
        >
          <option value="">{translate('operations.allActions')}</option>
          {ACTIONS.map((one) => (
            <option key={one} value={one}>
              {translate(`operations.did.${one}`)}
            </option>
          ))}
        </NativeSelect>
        {list.isError ? (
          <Failure error={list.error} retry={() => list.refetch()} />
        ) : list.isPending ? (
          <Loading />
        ) : rows.length === 0 ? (
          <Message icon="history" title={translate('operations.noActivity')} />
        ) : (
          <DataTable
            caption={translate('operations.activity')}
            heads={HEADS.map((head) => translate(`operations.${head}`))}
          >
            {rows.map((row) => (
              <TableRow key={row.id}>
                <TableCell sx={{ whiteSpace: 'nowrap' }}>
                  {formatDate('timestamp', row.timestamp)}
                </TableCell>
                <TableCell>{row.user?.email ?? translate('operations.nobody')}</TableCell>
                <TableCell>
                  {translate(`operations.did.${row.action}`, { _: humanize(row.action) })}
                </TableCell>
                <TableCell>
                  <ActivitySubject subject={row} beside={rows} />
                </TableCell>
              </TableRow>
            ))}
          </DataTable>
        )}
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1, mt: 2 }}>
          {page > 1 && (
            <Button onClick={() => setPage(page - 1)}>{translate('operations.newer')}</Button>
          )}
          {(list.data?.length ?? 0) > PER_PAGE && (
            <Button onClick={() => setPage(page + 1)}>{translate('operations.older')}</Button>
          )}
        </Box>
      </Box>
    </>
  );
}

/** All policies: what each is for, and what it gives besides its permissions. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM } from '../shell/part.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { policiesQuery } from './access-queries.ts';
import { POLICIES, type Policy } from './access-types.ts';
import { policyPath } from './paths.ts';
import { PolicyChips } from './policy-chips.tsx';

/** So many are seen at a glance. */
const FEW = 8;

function PolicyEntry({ policy }: { readonly policy: Policy }) {
  return (
    <ListItem disablePadding divider>
      <ListItemButton component={Link} to={policyPath(policy.id)} sx={{ gap: 2, flexWrap: 'wrap' }}>
        <ListItemIcon sx={{ minWidth: 24 }}>
          <NamedIcon name={policy.icon} fallback="badge" />
        </ListItemIcon>
        <ListItemText
          primary={policy.name}
          secondary={policy.description}
          sx={{ flex: '1 1 200px' }}
          slotProps={{ primary: { sx: { fontWeight: 600 } }, secondary: { noWrap: true } }}
        />
        <PolicyChips policy={policy} />
      </ListItemButton>
    </ListItem>
  );
}

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const policies = useQuery(policiesQuery);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = (policies.data ?? []).filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(wanted),
  );
  const create = may(rights, POLICIES, 'create') && (
    <Button variant="contained" component={Link} to={policyPath(NEW_ITEM)}>
      {translate('access.newPolicy')}
    </Button>
  );
  return (
    <>
      <PageHeader title={translate('access.policies')} actions={create} />
      <Box sx={FORM}>
        <Box sx={{ color: 'text.secondary' }}>{translate('access.policiesHelp')}</Box>
        {(policies.data?.length ?? 0) > FEW && (
          <TextField
            type="search"
            label={translate('access.searchPolicies')}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            sx={{ maxWidth: 320 }}
          />
        )}
        {policies.isError ? (
          <Failure error={policies.error} retry={() => policies.refetch()} />
        ) : policies.isPending ? (
          <Loading />
        ) : shown.length === 0 ? (
          <Message icon="badge" title={translate('access.noPolicies')} actions={create}>
            {translate('access.noPoliciesHelp')}
          </Message>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <List
              disablePadding
              aria-label={translate('access.policies')}
              sx={{ '& > li:last-child': { borderBottom: 0 } }}
            >
              {shown.map((policy) => (
                <PolicyEntry key={policy.id} policy={policy} />
              ))}
            </List>
          </Paper>
        )}
      </Box>
    </>
  );
}

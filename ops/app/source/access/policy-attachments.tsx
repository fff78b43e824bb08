/** The policies of a role or a user, added from all that there are. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemIcon from '@mui/material/ListItemIcon';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { policiesQuery } from './access-queries.ts';
import type { Access, Policy } from './access-types.ts';
import { type Attachments, attach, attached, detach } from './attachments.ts';
import { policyPath } from './paths.ts';
import { PolicyChips } from './policy-chips.tsx';

export interface PolicyAttachmentsProps {
  readonly help: string;
  readonly stored: readonly Access[];
  readonly changes: Attachments;
  readonly readOnly: boolean;
  readonly onChange: (changes: Attachments) => void;
}

const NO_POLICIES: readonly Policy[] = [];

export function PolicyAttachments(props: PolicyAttachmentsProps) {
  const { help, stored, changes, readOnly, onChange } = props;
  const translate = useTranslate();
  const id = useId();
  const policies = useQuery(policiesQuery).data ?? NO_POLICIES;
  const keys = attached(stored, changes);
  const shown = keys.flatMap((key) => policies.find((policy) => policy.id === key) ?? []);
  const free = policies.filter((policy) => !keys.includes(policy.id));
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-labelledby={id}
      sx={{ p: { xs: 2, md: 3 }, display: 'grid', gap: 1.5 }}
    >
      <div>
        <Typography variant="h2" id={id}>
          {translate('access.policies')}
        </Typography>
        <Typography variant="body2" color="text.secondary">
          {help}
        </Typography>
      </div>
      {shown.length > 0 && (
        <List disablePadding aria-labelledby={id}>
          {shown.map((policy) => (
            <ListItem key={policy.id} disableGutters divider sx={{ gap: 1.5, flexWrap: 'wrap' }}>
              <ListItemIcon sx={{ minWidth: 24 }}>
                <NamedIcon name={policy.icon} fallback="badge" fontSize="small" />
              </ListItemIcon>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Link to={policyPath(policy.id)}>{policy.name}</Link>
              </Box>
              <PolicyChips policy={policy} />
              {!readOnly && (
                <Tooltip title={translate('access.detach')}>
                  <IconButton
                    size="small"
                    aria-label={translate('access.detachPolicy', { name: policy.name })}
                    onClick={() => onChange(detach(stored, changes, policy.id))}
                  >
                    <Icon name="close" fontSize="small" />
                  </IconButton>
                </Tooltip>
              )}
            </ListItem>
          ))}
        </List>
      )}
      {!readOnly && free.length > 0 && (
        <TextField
          select
          value=""
          onChange={({ target }) => onChange(attach(stored, changes, target.value))}
          slotProps={{
            select: { native: true },
            htmlInput: { 'aria-label': translate('access.addPolicy') },
          }}
          sx={{ maxWidth: 320 }}
        >
          <option value="">{translate('access.addPolicy')}</option>
          {free.map((policy) => (
            <option key={policy.id} value={policy.id}>
              {policy.name}
            </option>
          ))}
        </TextField>
      )}
    </Paper>
  );
}

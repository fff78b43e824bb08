/** Which policies count for a user, and through what. */
import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemIcon from '@mui/material/ListItemIcon';
import Typography from '@mui/material/Typography';
import { Link } from 'react-router-dom';
import { Part } from '../shell/part.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { CountingPolicy } from './effective.ts';
import { policyPath } from './paths.ts';
import { PolicyChips } from './policy-chips.tsx';

export interface CountingPoliciesProps {
  readonly counting: readonly CountingPolicy[];
  /** Those whose addresses do not leave them out. */
  readonly effective: readonly CountingPolicy[];
}

export function CountingPolicies({ counting, effective }: CountingPoliciesProps) {
  const translate = useTranslate();
  const through = ({ through: by, role }: CountingPolicy) =>
    by === 'role' && role !== null
      ? translate('access.through.role', { name: role.name })
      : translate(`access.through.${by}`);
  return (
    <Part title={translate('access.countingPolicies')}>
      {counting.length === 0 && (
        <Typography color="text.secondary">{translate('access.noCounting')}</Typography>
      )}
      <List disablePadding aria-label={translate('access.countingPolicies')}>
        {counting.map((entry) => {
          const { policy } = entry;
          const counts = effective.includes(entry);
          return (
            <ListItem
              key={policy.id}
              disableGutters
              sx={{ columnGap: 1.5, rowGap: 0.5, flexWrap: 'wrap' }}
            >
              <ListItemIcon sx={{ minWidth: 24 }}>
                <NamedIcon name={policy.icon} fallback="badge" fontSize="small" />
              </ListItemIcon>
              <Box sx={{ textDecoration: counts ? 'none' : 'line-through' }}>
                <Link to={policyPath(policy.id)}>{policy.name}</Link>
              </Box>
              <Typography variant="body2" color="text.secondary" sx={{ flex: '1 1 160px' }}>
                {through(entry)}
                {policy.ip_access !== null &&
                  ` · ${translate('access.onlyFrom', { addresses: policy.ip_access.join(', ') })}`}
              </Typography>
              <PolicyChips policy={policy} />
            </ListItem>
          );
        })}
      </List>
    </Part>
  );
}

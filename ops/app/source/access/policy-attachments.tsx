/** The policies of a role or a user, added from all that there are. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemIcon from '@mui/material/ListItemIcon';
import Tooltip from '@mui/material/Tooltip';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { AddMenu } from '../shell/add-menu.tsx';
import { Part } from '../shell/part.tsx';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { policiesQuery } from './access-queries.ts';
import { ACCESS, type Policy } from './access-types.ts';
import { moved } from './attachments.ts';
import { policyPath } from './paths.ts';
import { PolicyChips } from './policy-chips.tsx';

export interface PolicyAttachmentsProps {
  readonly help: string;
  /** Keys of policies, in their order. */
  readonly value: readonly string[];
  readonly readOnly: boolean;
  readonly onChange: (value: readonly string[]) => void;
}

const NO_POLICIES: readonly Policy[] = [];

export function PolicyAttachments(props: PolicyAttachmentsProps) {
  const { help, value, readOnly, onChange } = props;
  const translate = useTranslate();
  const policies = useQuery(policiesQuery).data ?? NO_POLICIES;
  const mayOrder = may(useRights(), ACCESS, 'update') && !readOnly && value.length > 1;
  const shown = value.flatMap((key) => policies.find((policy) => policy.id === key) ?? []);
  const free = policies.filter((policy) => !value.includes(policy.id));
  const move = (policy: Policy, by: -1 | 1) => (
    <Tooltip title={translate(by < 0 ? 'access.moveUp' : 'access.moveDown')}>
      <span>
        <IconButton
          size="small"
          aria-label={translate(by < 0 ? 'access.moveUpOf' : 'access.moveDownOf', {
            name: policy.name,
          })}
          disabled={policy.id === (by < 0 ? value[0] : value.at(-1))}
          onClick={() => onChange(moved(value, policy.id, by))}
        >
          <Icon name={by < 0 ? 'arrow_upward' : 'arrow_downward'} fontSize="small" />
        </IconButton>
      </span>
    </Tooltip>
  );
  return (
    <Part
      title={translate('access.policies')}
      help={mayOrder ? `${help} ${translate('access.policyOrder')}` : help}
    >
      {shown.length > 0 && (
        <List disablePadding aria-label={translate('access.policies')}>
          {shown.map((policy) => (
            <ListItem key={policy.id} disableGutters divider sx={{ gap: 1.5, flexWrap: 'wrap' }}>
              <ListItemIcon sx={{ minWidth: 24 }}>
                <NamedIcon name={policy.icon} fallback="badge" fontSize="small" />
              </ListItemIcon>
              <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                <Link to={policyPath(policy.id)}>{policy.name}</Link>
              </Box>
              <PolicyChips policy={policy} />
              {mayOrder && (
                <Box sx={{ display: 'flex' }}>
                  {move(policy, -1)}
                  {move(policy, 1)}
                </Box>
              )}
              {!readOnly && (
                <Tooltip title={translate('access.detach')}>
                  <IconButton
                    size="small"
                    aria-label={translate('access.detachPolicy', { name: policy.name })}
                    onClick={() => onChange(value.filter((key) => key !== policy.id))}
                  >
                    <Icon name="close" fontSize="small" />
                  </IconButton>
                </Tooltip>
              )}
            </ListItem>
          ))}
        </List>
      )}
      {!readOnly && (
        <AddMenu
          text="access.addPolicy"
          icon="add"
          asks
          targets={free.map(({ id: name, name: label }) => ({ name, label }))}
          onChoose={(added) => onChange([...value, added])}
        />
      )}
    </Part>
  );
}

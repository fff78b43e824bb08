/** The state of a user's account, as a word. */
import Chip from '@mui/material/Chip';
import { useTranslate } from '../translation/use-translate.ts';

/** All states that the API knows. */
export const STATUSES = [
  'active',
  'invited',
  'draft',
  'unverified',
  'suspended',
  'archived',
] as const;

export function UserStatus({ status }: { readonly status: string }) {
  const translate = useTranslate();
  const colour = status === 'active' ? 'success' : status === 'suspended' ? 'error' : 'default';
  return (
    <Chip
      size="small"
      variant="outlined"
      color={colour}
      label={translate(`access.status.${status}`, { _: status })}
    />
  );
}

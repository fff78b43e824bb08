/** What a policy gives or demands besides its permissions, as words beside its name. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { useTranslate } from '../translation/use-translate.ts';
import type { Policy } from './access-types.ts';

export function PolicyChips({ policy }: { readonly policy: Policy }) {
  const translate = useTranslate();
  const { admin_access, app_access, enforce_tfa, ip_access } = policy;
  const texts = [
    ...(admin_access ? ['access.chip.admin'] : []),
    ...(app_access ? ['access.chip.app'] : []),
    ...(enforce_tfa ? ['access.chip.tfa'] : []),
    ...(ip_access === null ? [] : ['access.chip.ip']),
  ];
  return (
    <Box component="span" sx={{ display: 'inline-flex', flexWrap: 'wrap', gap: 0.5 }}>
      {texts.map((text) => (
        <Chip
          key={text}
          component="span"
          size="small"
          variant="outlined"
          label={translate(text)}
          color={text === 'access.chip.admin' ? 'warning' : 'default'}
        />
      ))}
    </Box>
  );
}

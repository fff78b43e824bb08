/** Says in the place of a panel why it shows nothing. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { isForbidden, tellFailure } from '../data/failure.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';

interface PanelNoteProps {
  readonly icon: IconName;
  readonly text: string;
  readonly role?: 'alert';
}

export function PanelNote({ icon, text, role }: PanelNoteProps) {
  return (
    <Box
      role={role}
      sx={{
        ...{ display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 1, p: 2 },
        ...{ justifyContent: 'center', textAlign: 'center', height: '100%', minHeight: 96 },
      }}
    >
      <Icon name={icon} sx={{ color: 'text.secondary' }} />
      <Typography variant="body2" color="textSecondary">
        {text}
      </Typography>
    </Box>
  );
}

/** Why a panel shows nothing. */
export function PanelFailure({ error }: { readonly error: unknown }) {
  const translate = useTranslate();
  if (isForbidden(error)) {
    return <PanelNote icon="visibility_off" text={translate('insights.notAllowed')} role="alert" />;
  }
  const { text, detail } = tellFailure(error, translate);
  return <PanelNote icon="error" text={`${translate(text)} ${detail ?? ''}`} role="alert" />;
}

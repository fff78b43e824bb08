/** The state of a job, of a queue or of a check, as a word with a colour. */
import Chip from '@mui/material/Chip';
import { useTranslate } from '../translation/use-translate.ts';

const COLOURS: Readonly<Record<string, 'default' | 'primary' | 'success' | 'warning' | 'error'>> = {
  running: 'primary',
  completed: 'success',
  failed: 'error',
  paused: 'warning',
  draining: 'warning',
  ok: 'success',
  warn: 'warning',
  error: 'error',
};

export function StateChip({ state }: { readonly state: string }) {
  const translate = useTranslate();
  return (
    <Chip
      size="small"
      variant="outlined"
      color={COLOURS[state] ?? 'default'}
      label={translate(`operations.state.${state}`, { _: state })}
      sx={{ fontWeight: 600 }}
    />
  );
}

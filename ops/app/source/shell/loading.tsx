/** Says that something is on its way. */
import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useTranslate } from '../translation/use-translate.ts';

export function Loading() {
  const translate = useTranslate();
  return (
    <Box role="status" sx={{ display: 'grid', placeItems: 'center', minHeight: 240 }}>
      <CircularProgress aria-label={translate('shell.loading')} size={32} />
    </Box>
  );
}

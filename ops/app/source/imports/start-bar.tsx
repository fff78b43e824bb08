/** Stays at the lower edge: starts the import or its dry run, and shows how much of the file is sent. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { formatNumber } from '../display/format.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { useStartPrepared } from './use-start-prepared.ts';

export interface StartBarProps {
  readonly collection: string;
  /** How many columns have a field. */
  readonly used: number;
  readonly all: number;
}

/** On a phone the buttons have a line of their own. */
const TOLD = { flex: { xs: '1 0 100%', sm: '1 1 160px' } } as const;
const BUTTON = { flex: { xs: 1, sm: 'none' } } as const;

export function StartBar({ collection, used, all }: StartBarProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const sending = useRef(false);
  const { start, isPending, error, percent, cancel } = useStartPrepared(collection, () => {
    sending.current = false;
  });
  // What the beginning does not tell goes to fields of the same names.
  const isNothing = used === 0 && all > 0;
  const text = all === 0 ? 'unknownColumns' : used === 0 ? 'noneUsed' : 'used';
  const told = translate(`imports.${text}`, { used, all });
  const begin = (dryRun: boolean) => {
    sending.current = true;
    start(dryRun);
  };
  return (
    <Paper
      elevation={4}
      sx={{
        ...{ position: 'sticky', bottom: 12, zIndex: 2, p: 2, borderRadius: 2, minWidth: 0 },
        ...{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1.5 },
      }}
    >
      <FailureAlert error={error} sx={{ width: '100%' }} />
      {isPending ? (
        <Box role="status" sx={TOLD}>
          <Typography variant="body2" sx={{ mb: 0.5 }}>
            {translate('imports.sending', { percent: formatNumber(Math.floor(percent), locale) })}
          </Typography>
          <LinearProgress
            variant="determinate"
            value={percent}
            aria-label={translate('imports.sendingBar')}
            sx={{ borderRadius: 1, height: 6 }}
          />
        </Box>
      ) : (
        <Typography color="textSecondary" sx={TOLD}>
          {told}
        </Typography>
      )}
      {isPending ? (
        <Button color="error" sx={BUTTON} onClick={cancel}>
          {translate('operations.cancel.import')}
        </Button>
      ) : (
        <>
          <Button variant="outlined" disabled={isNothing} sx={BUTTON} onClick={() => begin(true)}>
            {translate('imports.startDry')}
          </Button>
          <Button variant="contained" disabled={isNothing} sx={BUTTON} onClick={() => begin(false)}>
            {translate('imports.start')}
          </Button>
        </>
      )}
      <UnsavedChanges when={() => sending.current && isPending} />
    </Paper>
  );
}

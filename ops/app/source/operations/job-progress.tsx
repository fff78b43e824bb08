/** How far a job is: a bar, rows and rate, and the time that is left. */
import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Job } from '../../../client/source/index.ts';
import { formatNumber } from '../display/format.ts';
import { humanize } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration } from './duration.ts';
import { currentPhase } from './timeline.ts';

export function JobProgressBar({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { progress, state } = job;
  if (state !== 'running') return null;
  const { rows, percent, rows_per_second: rate, seconds_left: left } = progress ?? {};
  const known = typeof percent === 'number';
  const phase = currentPhase(job);
  const parts = [
    ...(phase === null ? [] : [translate(`operations.phase.${phase}`, { _: humanize(phase) })]),
    ...(known ? [`${formatNumber(Math.floor(percent), locale)} %`] : []),
    ...(rows ? [translate('operations.rows', { rows: formatNumber(rows, locale) })] : []),
    ...(rate
      ? [translate('operations.rate', { rate: formatNumber(Math.round(rate), locale) })]
      : []),
    ...(typeof left === 'number'
      ? [translate('operations.left', { time: formatDuration(left * 1_000, locale) })]
      : []),
  ];
  return (
    <Box sx={{ minWidth: 140 }}>
      <LinearProgress
        aria-label={translate('operations.progress')}
        variant={known ? 'determinate' : 'indeterminate'}
        {...(known && { value: percent })}
        sx={{ borderRadius: 1, height: 6 }}
      />
      <Typography variant="caption" color="textSecondary">
        {parts.join(' · ')}
      </Typography>
    </Box>
  );
}

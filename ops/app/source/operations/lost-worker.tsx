/** Says beside a running job that its worker is silent, and when another one takes the job over. */
import Alert from '@mui/material/Alert';
import type { Job } from '../../../client/source/index.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration } from './duration.ts';

/** Seconds after which a worker that reports each second is missed. */
const MISSED_AFTER = 3;

export function LostWorker({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { worker, state } = job;
  if (state !== 'running' || worker === null || worker === undefined) return null;
  const { silence, takeover } = worker;
  if (silence !== null && silence <= MISSED_AFTER) return null;
  const time = (seconds: number) => formatDuration(Math.round(seconds) * 1_000, locale);
  const parameters = { silence: time(silence ?? 0), takeover: time(takeover ?? 0) };
  const text =
    silence === null ? 'unknown' : takeover === null || takeover < 1 ? 'soon' : 'counted';
  return (
    // The time changes each second; to hear it once is enough.
    <Alert severity="warning">{translate(`operations.silent.${text}`, parameters)}</Alert>
  );
}

/** What a job is about, and when it did what. */
import MuiLink from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { useCollections } from '../data/queries.ts';
import { listPath } from '../data/route-of.ts';
import { formatNumber } from '../display/format.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { Facts } from '../shell/facts.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration, runTime } from './duration.ts';

export function JobAbout({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const date = (text: string | null) => text && formatDate('timestamp', text);
  const time = runTime(job, Date.now());
  const { collection, file_size: size } = job;
  const isKnown = useCollections().has(collection ?? '');
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Facts
        facts={[
          { name: translate('operations.fileHead'), value: job.file_name },
          {
            name: translate('operations.size'),
            value:
              size === null
                ? null
                : translate('operations.bytes', { size: formatNumber(size, locale) }),
          },
          {
            name: translate('operations.collection'),
            value: isKnown ? (
              <MuiLink component={Link} to={listPath(collection ?? '')}>
                {collection}
              </MuiLink>
            ) : (
              collection
            ),
          },
          { name: translate('operations.queue'), value: job.queue },
          { name: translate('operations.created'), value: date(job.created_on) },
          { name: translate('operations.started'), value: date(job.started_on) },
          { name: translate('operations.finished'), value: date(job.finished_on) },
          {
            name: translate('operations.time'),
            value: time === null ? null : formatDuration(time, locale),
          },
          { name: translate('operations.attempts'), value: String(job.attempts) },
          { name: translate('operations.id'), value: job.id },
        ]}
      />
    </Paper>
  );
}

/** What needs the caller, above all else on the home: failed jobs, stopped queues, checks that are not well. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { meQuery, useIsAdministrator } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { checkTitle } from '../operations/check-words.ts';
import { healthQuery } from '../operations/health-query.ts';
import { CALM } from '../operations/live.ts';
import { queuesQuery } from '../operations/queue-query.ts';
import { troublesOf } from '../operations/trouble.ts';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FAILED_JOBS, failedJobsQuery } from './job-query.ts';

interface Need {
  readonly id: string;
  readonly severity: 'warning' | 'error';
  readonly title: string;
  readonly detail?: string;
  readonly to: string;
  /** Of what may be left as it is: it is not shown again. */
  readonly dismiss?: () => void;
}

/** The checks that are shown; the others are behind the link. */
const SHOWN_CHECKS = 4;
/** Health is asked for less often: nothing here is urgent by the second. */
const SLOW = 6 * CALM;

function useFailedJobs(): readonly Need[] {
  const translate = useTranslate();
  const user = useQuery(meQuery).data?.id ?? '';
  const [seen, setSeen] = useStore<string | null>(`home.failed.${user}`, null);
  const { data: jobs = [] } = useQuery(failedJobsQuery(seen));
  const [latest] = jobs;
  if (latest === undefined) return [];
  const only = jobs.length === 1;
  return [
    {
      id: 'jobs',
      severity: 'error',
      title: translate(jobs.length > FAILED_JOBS ? 'home.manyFailed' : 'home.failed', {
        smart_count: Math.min(jobs.length, FAILED_JOBS),
      }),
      to: only
        ? `/operations/jobs/${encodeURIComponent(latest.id)}`
        : '/operations/jobs?state=failed',
      // The answer has milliseconds, the database microseconds.
      dismiss: () => setSeen(new Date(Date.parse(latest.finished_on ?? '') + 1).toISOString()),
    },
  ];
}

function useTroubles(): readonly Need[] {
  const translate = useTranslate();
  const enabled = useIsAdministrator();
  const queues = useQuery({ ...queuesQuery, enabled, refetchInterval: CALM }).data ?? [];
  const health = useQuery({ ...healthQuery, enabled, refetchInterval: SLOW }).data;
  const stopped = queues.filter(({ state }) => state !== 'running');
  const isStopped = (queue: string) => stopped.some(({ name }) => name === queue);
  const checks = troublesOf(health?.checks ?? {}, isStopped).slice(0, SHOWN_CHECKS);
  return [
    ...stopped.map(({ name, state }): Need => {
      const queue = translate(`operations.queueName.${name}`, { _: humanize(name) });
      return {
        id: `queue ${name}`,
        severity: 'warning',
        title: translate(state === 'paused' ? 'home.paused' : 'home.draining', { queue }),
        to: '/operations/queues',
      };
    }),
    ...checks.map(
      ({ check, status, reason }): Need => ({
        id: `${check.name} ${check.component}`,
        severity: status === 'error' ? 'error' : 'warning',
        title: checkTitle(check, translate),
        detail: reason,
        to: '/operations/health',
      }),
    ),
  ];
}

export function NeedPart() {
  const translate = useTranslate();
  const failed = useFailedJobs();
  const troubles = useTroubles();
  const needs = [...failed, ...troubles];
  if (needs.length === 0) return null;
  return (
    <Part title={translate('home.needs')}>
      <Box
        component="ul"
        sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1, minWidth: 0 }}
      >
        {needs.map(({ id, severity, title, detail, to, dismiss }) => (
          <Box
            component="li"
            key={id}
            sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.25 }}
          >
            <Icon
              name={severity === 'error' ? 'error' : 'warning'}
              sx={{ fontSize: 20, color: `${severity}.main` }}
            />
            <Box sx={{ flex: '1 1 200px', minWidth: 0, overflowWrap: 'anywhere' }}>
              {title}
              {detail !== undefined && (
                <Typography variant="body2" color="textSecondary">
                  {detail}
                </Typography>
              )}
            </Box>
            <Box sx={{ display: 'flex', gap: 0.5 }}>
              {dismiss !== undefined && (
                <Button size="small" color="inherit" onClick={dismiss}>
                  {translate('home.dismiss')}
                </Button>
              )}
              <Button
                size="small"
                component={Link}
                to={to}
                aria-label={translate('home.lookAt', { name: title })}
              >
                {translate('home.look')}
              </Button>
            </Box>
          </Box>
        ))}
      </Box>
    </Part>
  );
}

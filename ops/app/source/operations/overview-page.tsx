/** All of the operations at a glance: whether all is well, what waits, what runs, what failed. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CardActionArea from '@mui/material/CardActionArea';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { refusalText } from '../data/fault-text.ts';
import { formatNumber } from '../display/format.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Part } from '../shell/part.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { checkTitle } from './check-words.ts';
import { curvesOf, total } from './curves.ts';
import { formatDuration } from './duration.ts';
import { healthQuery } from './health-query.ts';
import { aboutJob, kindName } from './job-name.ts';
import { JobProgressBar } from './job-progress.tsx';
import { jobListQuery } from './job-query.ts';
import { PeriodChoice, usePeriod } from './period-choice.tsx';
import { QueueCurves } from './queue-curves.tsx';
import { queuesQuery } from './queue-query.ts';
import { statisticsQuery } from './statistics-query.ts';
import { troublesOf } from './trouble.ts';

const SHOWN = 5;
const SEVERITY = { ok: 'success', warn: 'warning', error: 'error' } as const;

/** Whether all is well, with what is not. */
function Verdict() {
  const translate = useTranslate();
  const health = useQuery(healthQuery);
  const queues = useQuery(queuesQuery).data ?? [];
  if (health.isPending) return <Alert severity="info">{translate('operations.looking')}</Alert>;
  if (health.isError) return <Failure error={health.error} retry={() => health.refetch()} />;
  const { status, checks } = health.data;
  const held = queues.filter(({ state }) => state !== 'running');
  const problems = troublesOf(checks ?? {}, (queue) => held.some(({ name }) => name === queue));
  const severity = status === 'ok' && held.length > 0 ? 'warning' : SEVERITY[status];
  return (
    <Alert
      severity={severity}
      role="status"
      action={
        <Button color="inherit" size="small" component={Link} to="/operations/health">
          {translate('operations.health')}
        </Button>
      }
    >
      {translate(`operations.healthText.${held.length > 0 && status === 'ok' ? 'held' : status}`)}
      {problems.length + held.length > 0 && (
        <Box component="ul" sx={{ m: 0, mt: 0.5, paddingInlineStart: 2.5 }}>
          {problems.slice(0, SHOWN).map(({ check, reason }) => {
            const title = checkTitle(check, translate);
            return (
              <li key={`${check.name} ${check.component}`}>
                {reason === '' ? title : `${title}: ${reason}`}
              </li>
            );
          })}
          {held.map(({ name, state }) => (
            <li key={name}>
              {translate(`operations.heldQueue.${state}`, {
                queue: translate(`operations.queueName.${name}`, { _: name }),
              })}
            </li>
          ))}
        </Box>
      )}
    </Alert>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly to: string;
  readonly alarming?: boolean;
}

function Tile({ name, value, note, to, alarming = false }: TileProps) {
  return (
    <Paper variant="outlined">
      <CardActionArea component={Link} to={to} sx={{ p: 2, height: 1, borderRadius: 'inherit' }}>
        <Typography variant="body2" color="textSecondary">
          {name}
        </Typography>
        <Typography
          sx={{
            fontSize: '1.75rem',
            fontWeight: 650,
            lineHeight: 1.25,
            fontVariantNumeric: 'tabular-nums',
            ...(alarming && { color: 'error.main' }),
          }}
        >
          {value}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          {note}
        </Typography>
      </CardActionArea>
    </Paper>
  );
}

function Tiles() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const period = usePeriod();
  const statistics = useQuery(statisticsQuery(period));
  if (statistics.isPending) return <Loading />;
  if (statistics.isError) {
    return <Failure error={statistics.error} retry={() => statistics.refetch()} />;
  }
  const { now } = statistics.data;
  const curves = curvesOf(statistics.data, null);
  const number = (value: number) => formatNumber(value, locale);
  const waiting = now.queues.reduce((all, queue) => all + queue.waiting, 0);
  const running = now.queues.reduce((all, queue) => all + queue.running, 0);
  const oldest = Math.max(...now.queues.map((queue) => queue.oldest ?? 0));
  const failed = total(curves.failed);
  const within = translate(`operations.within.${period}`);
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 1fr))' },
      }}
    >
      <Tile
        name={translate('operations.tile.waiting')}
        value={number(waiting)}
        note={
          waiting === 0
            ? translate('operations.tile.noneWaits')
            : translate('operations.tile.oldest', {
                time: formatDuration(oldest * 1_000, locale),
              })
        }
        to="/operations/jobs?state=waiting"
      />
      <Tile
        name={translate('operations.tile.running')}
        value={number(running)}
        note={translate('operations.tile.workers', {
          smart_count: now.processes.worker,
          count: number(now.processes.worker),
        })}
        to="/operations/jobs?state=running"
        alarming={now.processes.worker === 0}
      />
      <Tile
        name={translate('operations.tile.failed')}
        value={number(failed)}
        note={within}
        to="/operations/jobs?state=failed"
        alarming={failed > 0}
      />
      <Tile
        name={translate('operations.tile.completed')}
        value={number(total(curves.completed))}
        note={within}
        to="/operations/jobs?state=completed"
      />
    </Box>
  );
}

interface JobsPartProps {
  readonly title: string;
  readonly none: string;
  readonly state: string;
  readonly detail: (job: Job) => ReactNode;
}

function JobsPart({ title, none, state, detail }: JobsPartProps) {
  const translate = useTranslate();
  const list = useQuery(jobListQuery({ state, search: '', page: 1 }));
  const jobs = list.data?.slice(0, SHOWN) ?? [];
  return (
    <Part title={title}>
      {list.isError ? (
        <Failure error={list.error} retry={() => list.refetch()} />
      ) : jobs.length === 0 ? (
        <Typography color="textSecondary">{none}</Typography>
      ) : (
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1.5 }}>
          {jobs.map((job) => (
            <Box component="li" key={job.id} sx={{ minWidth: 0 }}>
              <Typography noWrap>
                <Link to={`/operations/jobs/${encodeURIComponent(job.id)}`}>
                  {kindName(job.kind, translate)}
                </Link>
                {aboutJob(job) !== '' && ` · ${aboutJob(job)}`}
              </Typography>
              {detail(job)}
            </Box>
          ))}
        </Box>
      )}
    </Part>
  );
}

function FailedDetail({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const [error] = job.error ?? [];
  const why = error && refusalText(error.extensions, translate, error.message);
  const when = job.finished_on && formatDate('timestamp', job.finished_on);
  return (
    <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
      {[when, why].filter(Boolean).join(' · ')}
    </Typography>
  );
}

export function Component() {
  const translate = useTranslate();
  return (
    <>
      <PageHeader title={translate('operations.overview')} actions={<PeriodChoice />} />
      <Box
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 2,
          gridTemplateColumns: 'minmax(0, 1fr)',
        }}
      >
        <Verdict />
        <Tiles />
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
          }}
        >
          <JobsPart
            title={translate('operations.runningNow')}
            none={translate('operations.noneRuns')}
            state="running"
            detail={(job) => <JobProgressBar job={job} />}
          />
          <JobsPart
            title={translate('operations.failedLast')}
            none={translate('operations.noneFailed')}
            state="failed"
            detail={(job) => <FailedDetail job={job} />}
          />
        </Box>
        <Part title={translate('operations.curves')}>
          <QueueCurves queue={null} brief />
        </Part>
      </Box>
    </>
  );
}

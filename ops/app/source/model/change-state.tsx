/** How far a change of the schema is while it waits or runs, and why it was refused. */
import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { personName } from '../display/person.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { Refusal } from './refusal.tsx';
import type { Work } from './use-change.ts';

/** A change that runs for so long waits for a table that somebody uses. */
const LONG = 2_500;

/** Who made the change that runs now, before which this one waits. */
function useOther(waits: boolean): string | null {
  const other = useQuery({
    queryKey: ['jobs', 'schema', 'running'],
    queryFn: async ({ signal }) => {
      const filter = { queue: { _eq: 'schema' }, state: { _eq: 'running' } };
      const [job] = await client.jobs.list({ filter, limit: 1 }, { signal });
      if (!job?.user) return null;
      const fields = ['first_name', 'last_name', 'email'];
      return personName(
        await client.request('GET', `/users/${job.user}`, { query: { fields }, signal }),
      );
    },
    enabled: waits,
    refetchInterval: 1_000,
  });
  return other.data ?? null;
}

function useIsLong(job: Job | null): boolean {
  const [long, setLong] = useState(false);
  const runs = job?.state === 'running';
  useEffect(() => {
    setLong(false);
    if (!runs) return;
    const timer = setTimeout(() => setLong(true), LONG);
    return () => clearTimeout(timer);
  }, [runs]);
  return long;
}

function Progress({ job, step, steps }: Pick<Work, 'job' | 'step' | 'steps'>) {
  const translate = useTranslate();
  const waits = job?.state === 'waiting';
  const other = useOther(waits);
  const long = useIsLong(job);
  const text = waits
    ? other === null
      ? translate('model.waits')
      : translate('model.waitsFor', { name: other })
    : translate(long ? 'model.locked' : 'model.running');
  return (
    <Box role="status" sx={{ display: 'grid', gap: 0.75 }}>
      <LinearProgress aria-label={translate('model.running')} sx={{ borderRadius: 1, height: 6 }} />
      <Typography variant="body2" color="textSecondary">
        {text}
        {steps > 1 && ` ${translate('model.step', { step, steps })}`}
        {job !== null && (
          <>
            {' '}
            <MuiLink
              component={Link}
              to={`/operations/jobs/${encodeURIComponent(job.id)}`}
              target="_blank"
            >
              {translate('model.showJob')}
            </MuiLink>
          </>
        )}
      </Typography>
    </Box>
  );
}

export function ChangeState({ work }: { readonly work: Work }) {
  if (work.isPending) return <Progress job={work.job} step={work.step} steps={work.steps} />;
  if (work.error === null) return null;
  return <Refusal error={work.error} onForce={work.force} />;
}

/** The latest imports: whoever comes back finds the report of what was sent. */
import Box from '@mui/material/Box';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { client } from '../data/client.ts';
import { IMPORTS } from '../data/route-of.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { aboutJob } from '../operations/job-name.ts';
import { JOBS } from '../operations/job-query.ts';
import { CALM } from '../operations/live.ts';
import { StateChip } from '../operations/state-chip.tsx';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';

const SHOWN = 5;

export function RecentImports() {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const { data: jobs = [] } = useQuery({
    queryKey: [JOBS, 'list', 'imports'],
    queryFn: ({ signal }) =>
      client.jobs.list(
        { filter: { kind: { _eq: 'import' } }, sort: '-created_on', limit: SHOWN },
        { signal },
      ),
    refetchInterval: CALM,
  });
  if (jobs.length === 0) return null;
  return (
    <Part title={translate('imports.recent')}>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {jobs.map((job) => (
          <Box
            component="li"
            key={job.id}
            sx={{
              ...{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', columnGap: 2, py: 1 },
              '& + &': { borderTop: 1, borderColor: 'divider' },
            }}
          >
            <Box sx={{ flex: 1, minWidth: 160 }}>
              <MuiLink component={Link} to={`${IMPORTS}/${job.id}`}>
                {aboutJob(job)}
              </MuiLink>
            </Box>
            <Typography variant="body2" color="textSecondary">
              {formatDate('timestamp', job.created_on)}
            </Typography>
            <StateChip state={job.state} />
          </Box>
        ))}
      </Box>
    </Part>
  );
}

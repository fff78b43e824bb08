/** Says beside a job that waits that its queue is paused, so that waiting alone does not help. */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { useIsAdministrator } from '../data/queries.ts';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { queuesQuery } from './queue-query.ts';

export function PausedQueue({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const { data } = useQuery({ ...queuesQuery, enabled: job.state === 'waiting' });
  const queue = data?.find(({ name }) => name === job.queue);
  if (job.state !== 'waiting' || queue?.state !== 'paused') return null;
  const name = translate(`operations.queueName.${queue.name}`, { _: humanize(queue.name) });
  return (
    <Alert
      severity="warning"
      role="status"
      action={
        administrator && (
          <Button color="inherit" size="small" component={Link} to="/operations/queues">
            {translate('operations.toQueues')}
          </Button>
        )
      }
    >
      {translate('operations.queuePaused', { queue: name })}
    </Alert>
  );
}

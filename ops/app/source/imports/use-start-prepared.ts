/** Starts the import that has been prepared, or its dry run, and leads to its report. */
import { useNavigate } from 'react-router-dom';
import { IMPORTS } from '../data/route-of.ts';
import { rememberImport } from './memory.ts';
import { usePrepared, useTargets } from './use-prepared.ts';
import { useStart } from './use-start.ts';

export function useStartPrepared(collection: string, onAccepted?: () => void) {
  const navigate = useNavigate();
  const { fields, isNew } = useTargets(collection);
  const prepared = usePrepared(fields, isNew);
  const sending = useStart((job, { name, plan, dryRun }) => {
    const columns = prepared?.preview.columns ?? [];
    rememberImport({ job: job.id, file: name, columns, plan, dryRun, sent: {} });
    onAccepted?.();
    void navigate(`${IMPORTS}/${job.id}`);
  });
  const start = (dryRun: boolean) => {
    if (prepared === null) return;
    const { file } = prepared.opened;
    sending.start({ collection, name: file.name, content: file, plan: prepared.plan, dryRun });
  };
  return { ...sending, start };
}

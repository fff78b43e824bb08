// @newest @slow
/** One kill with each queue, at different places; all places with all queues are a long run's. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { killImports } from './import-kill.ts';

for (const backend of backends) {
  const failpoint = backend.name === 'postgres' ? 'import.merging' : 'import.committed';
  killImports(t, backend, [failpoint], { rows: 20_000 });
}

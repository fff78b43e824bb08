// @newest @slow
/** A stopped worker continues after another one did its job; all steps are a long run's. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { killCreations } from './create-kill.ts';
import { killExports } from './export-kill.ts';
import { killImports } from './import-kill.ts';

for (const backend of backends) {
  if (backend.name === 'redis') {
    killExports(t, backend, ['export.written'], 'late');
    continue;
  }
  killImports(t, backend, ['import.reporting'], { rows: 1_000, fate: 'late' });
  killCreations(t, backend, ['import.inferred'], 'late');
}

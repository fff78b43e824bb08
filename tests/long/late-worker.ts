/** Workers stopped at every step of an import and an export, which continue after another one. */
import t from 'tap';
import { CREATION_FAILPOINTS, killCreations } from '../chaos/create-kill.ts';
import { EXPORT_FAILPOINTS, killExports } from '../chaos/export-kill.ts';
import { FAILPOINTS, killImports } from '../chaos/import-kill.ts';
import { backends } from '../harness/backend.ts';

for (const backend of backends) {
  killExports(t, backend, EXPORT_FAILPOINTS, 'late');
  killCreations(t, backend, CREATION_FAILPOINTS, 'late');
  killImports(t, backend, FAILPOINTS, { rows: 20_000, fate: 'late' });
  // A file so small is written without a staging table.
  killImports(t, backend, FAILPOINTS, { rows: 40, fate: 'late' });
}

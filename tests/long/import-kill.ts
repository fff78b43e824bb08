/** Workers killed at every place of an import, with every queue. */
import t from 'tap';
import { CREATION_FAILPOINTS, killCreations } from '../chaos/create-kill.ts';
import { FAILPOINTS, killImports } from '../chaos/import-kill.ts';
import { backends } from '../harness/backend.ts';

for (const backend of backends) killImports(t, backend, FAILPOINTS);
// A file so small is written without a staging table.
for (const backend of backends) killImports(t, backend, FAILPOINTS, { rows: 40 });
for (const backend of backends) killCreations(t, backend, CREATION_FAILPOINTS, 'killed');

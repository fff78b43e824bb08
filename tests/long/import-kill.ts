/** Workers killed at every place of an import, with every queue. */
import t from 'tap';
import { FAILPOINTS, killImports } from '../chaos/import-kill.ts';
import { backends } from '../harness/backend.ts';

for (const backend of backends) killImports(t, backend, FAILPOINTS);

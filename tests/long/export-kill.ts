/** Workers killed at every step of an export, with every queue. */
import t from 'tap';
import { EXPORT_FAILPOINTS, killExports } from '../chaos/export-kill.ts';
import { backends } from '../harness/backend.ts';

for (const backend of backends) killExports(t, backend, EXPORT_FAILPOINTS, 'killed');

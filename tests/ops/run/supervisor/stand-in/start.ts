/** `npm start` with stand-ins for edge and worker. */
import { run } from '#ops/run/supervisor/run-supervisor.ts';

const script = 'tests/ops/run/supervisor/stand-in/process.ts';
process.exit(await run({ edge: script, worker: script }));

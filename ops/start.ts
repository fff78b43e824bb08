/** `npm start`: starts this installation and keeps it running until Ctrl-C or SIGTERM. */
import { run } from './run/supervisor/run-supervisor.ts';

process.exit(
  await run({
    edge: 'edge/main.ts',
    worker: 'workers/main.ts',
    monitor: 'ops/run/monitor/main.ts',
  }),
);

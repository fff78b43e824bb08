/** The worker process: runs jobs until it receives the signal to drain. */
import { createLog } from '#core/base/log/log.ts';
import { readConfiguration } from '#core/base/process/supervised-process.ts';
import { actors } from './actors/index.ts';
import { runWorker } from './worker.ts';

const { config, url } = readConfiguration('a worker');
await runWorker(config, url, createLog(config, 'worker'), actors);

/** The worker process: does jobs until it is asked to drain. */
import { createLog } from '#core/base/log/log.ts';
import { readConfiguration } from '#core/base/process/supervised-process.ts';
import { actors } from './actors/index.ts';
import { runWorker } from './worker.ts';

const { config, url } = readConfiguration('a worker');
await runWorker(config, url, createLog(config, 'worker'), actors);

/** The worker process: carries out jobs until it is told to drain. */
import { createLog } from '#core/log/log.ts';
import { readConfiguration } from '#core/process/supervised-process.ts';
import { actors } from './actors/index.ts';
import { runWorker } from './worker.ts';

const { config, url } = readConfiguration('a worker');
await runWorker(config, url, createLog(config, 'worker'), actors);

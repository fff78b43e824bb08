/** A thread that makes the pages of the documentation, and ends: what it needs for that goes with it. */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { buildSite } from './build-site.ts';

const { files } = await buildSite(join(import.meta.dirname, '../..'));
parentPort?.postMessage(files);

/**
 * Stands in for an edge or a worker under a supervisor: does what STAND_IN says, and writes its
 * process id to the folder STAND_IN_FOLDER each time it starts.
 */

import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  drainOnDemand,
  reportReadiness,
  tellSupervisor,
} from '#core/base/process/supervised-process.ts';

/** One that listens drains for as long as this file exists. */
const hold = process.env.STAND_IN_HOLD ?? '';

const behaviour = process.env.STAND_IN ?? 'obedient';
const folder = process.env.STAND_IN_FOLDER;
if (folder !== undefined) writeFileSync(join(folder, `${process.pid}`), behaviour);

if (behaviour === 'misconfigured') {
  process.stderr.write('PORT: the stand-in does not like it\n');
  process.exit(78);
}
if (behaviour === 'crashing') process.exit(3);
const alive = setInterval(() => undefined, 60_000);
if (behaviour === 'listening') {
  const server = createServer().listen(Number(process.env.PORT), '127.0.0.1');
  await once(server, 'listening');
  drainOnDemand(async () => {
    while (existsSync(hold)) await delay(20);
  });
} else if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit(0));
} else {
  drainOnDemand(async () => clearInterval(alive));
}
if (behaviour === 'beating') reportReadiness(() => ({ reason: null, hung: false }));
if (behaviour === 'hung') reportReadiness(() => ({ reason: 'It hangs.', hung: true }));
if (behaviour !== 'slow') tellSupervisor({ type: 'ready' });

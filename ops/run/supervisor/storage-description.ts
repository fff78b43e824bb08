/** Describes the file storage for the banner, and whether it is usable. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#core/base/config/variables.ts';
import { openStorages } from '#core/files/storage/open-storage.ts';

const WITHIN_MS = 3_000;

function place({ locations: [location] }: Config): string {
  if (location === undefined) return 'none';
  if (location.driver === 'local') return `folder ${join(location.root)}`;
  const { bucket, endpoint } = location;
  return `bucket ${bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
}

/**
 * The folder or bucket of files, with a warning when it does not respond correctly within three
 * seconds.
 */
export async function describeStorage(config: Config): Promise<string> {
  const waiting = new AbortController();
  const late = delay(WITHIN_MS, false, { signal: waiting.signal }).catch(() => false);
  const usable = openStorages(config)
    .then(({ spool }) => spool.check())
    .then(
      () => true,
      () => false,
    );
  const isUsable = await Promise.race([usable, late]);
  waiting.abort();
  return isUsable ? place(config) : `${place(config)} (cannot be used now; files wait for it)`;
}

// @newest
/** The processes for images, and who waits for one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { parseTransformation, resolved } from '#core/images/transformation.ts';
import { ImagePool } from '#workers/images/image-pool.ts';

const LIMITS = { maxDimension: 6_000, maxPixels: 36_000_000 };

t.test('what is given up before its turn is not made, and others go on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pool-'));
  const pool = new ImagePool({ max: 1, timeout: 25_000, memory: 512 * 1024 ** 2 });
  t.teardown(() => {
    pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const input = join(folder, 'image.png');
  const color = { width: 40, height: 20, channels: 3, background: '#f00' } as const;
  await sharp({ create: color }).png().toFile(input);
  const rules = { mode: 'all', presets: null, maxOperations: 5, ...LIMITS };
  const asked = parseTransformation({ width: '10' }, rules);
  if (asked === null) throw new Error('nothing is asked for');
  const facts = { type: 'image/png', focus: null, size: null };
  const asker = { ...LIMITS, accept: undefined, isPreset: false, mayEnlarge: true };
  const transformation = resolved(asked, facts, asker);
  if (transformation === null) throw new Error('it cannot be made');
  const made = (name: string, signal: AbortSignal) =>
    pool.transform(
      { input, output: join(folder, name), transformation, limits: LIMITS },
      { holder: 'a', signal },
    );
  const controller = new AbortController();
  const { signal } = new AbortController();
  const all = Promise.allSettled([
    made('first', signal),
    made('given-up', controller.signal),
    made('last', signal),
  ]);
  controller.abort(new Error('too late'));
  t.match(await all, [
    { status: 'fulfilled', value: { width: 10 } },
    { status: 'rejected', reason: { message: 'too late' } },
    { status: 'fulfilled', value: { width: 10 } },
  ]);
});

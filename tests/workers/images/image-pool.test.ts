// @newest
/** The processes for images, and who waits for one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { parseTransformation, resolved } from '#core/files/images/transformation.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { ImagePool, type ImagePoolOptions } from '#workers/images/image-pool.ts';

const LIMITS = { maxDimension: 6_000, maxPixels: 36_000_000 };
const QUICK = { width: '10' };
/** Takes a second and 200 MiB. */
const SLOW = { width: '2400', height: '2400', format: 'avif' };

async function started(t: Teardown, options: Partial<ImagePoolOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pool-'));
  const pool = new ImagePool({ max: 1, timeout: 60_000, memory: 512 * 1024 ** 2, ...options });
  t.teardown(() => {
    pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const input = join(folder, 'image.png');
  const color = { width: 40, height: 20, channels: 3, background: '#f00' } as const;
  await sharp({ create: color }).png().toFile(input);
  let count = 0;
  return (parameters: Record<string, string>, holder: string, signal?: AbortSignal) => {
    const rules = { mode: 'all', presets: null, maxOperations: 5, ...LIMITS };
    const asked = parseTransformation(parameters, rules);
    if (asked === null) throw new Error('nothing is asked for');
    const facts = { type: 'image/png', focus: null, size: null };
    const asker = { ...LIMITS, accept: undefined, isPreset: true, mayEnlarge: true };
    const transformation = resolved(asked, facts, asker);
    if (transformation === null) throw new Error('it cannot be made');
    count += 1;
    const output = join(folder, String(count));
    return pool.transform(
      { input, output, transformation, limits: LIMITS },
      { holder, ...(signal === undefined ? {} : { signal }) },
    );
  };
}

t.test('what is given up before its turn is not made, and others go on', async (t) => {
  const made = await started(t);
  const controller = new AbortController();
  const all = Promise.allSettled([
    made(QUICK, 'a'),
    made(QUICK, 'a', controller.signal),
    made(QUICK, 'a'),
  ]);
  controller.abort(new Error('too late'));
  t.match(await all, [
    { status: 'fulfilled', value: { width: 10 } },
    { status: 'rejected', reason: { message: 'too late' } },
    { status: 'fulfilled', value: { width: 10 } },
  ]);
});

t.test('one process serves holders by turns', async (t) => {
  const made = await started(t);
  const order: string[] = [];
  const note = async (holder: string) => {
    await made(QUICK, holder);
    order.push(holder);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(note));
  t.same(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

t.test('a holder that takes all processes gives one back when another one comes', async (t) => {
  const made = await started(t, { max: 2 });
  const order: string[] = [];
  const note = async (parameters: Record<string, string>, holder: string) => {
    const { width } = await made(parameters, holder);
    order.push(`${holder} ${width}`);
  };
  const slow = [note(SLOW, 'a'), note(SLOW, 'a')];
  await note(QUICK, 'b');
  // As long as others may come, the attack has one process.
  await note(QUICK, 'c');
  t.notOk(
    order.slice(0, 2).every((one) => one.startsWith('a')),
    `${order}`,
  );
  await Promise.all(slow);
  t.same([...order].sort(), ['a 2400', 'a 2400', 'b 10', 'c 10'], 'all are made');
});

t.test(
  'an image that takes too much memory is refused, and its process is not used again',
  async (t) => {
    const made = await started(t, { memory: 170 * 1024 ** 2 });
    const quick = made(QUICK, 'a');
    const slow = made(SLOW, 'a');
    const last = made(QUICK, 'a');
    t.match(await quick, { width: 10 });
    await t.rejects(slow, {
      code: 'UNPROCESSABLE_ENTITY',
      details: {
        reason: {
          code: 'image_too_much_memory',
          sentence: /^The image cannot be used. It takes more memory than 170 MiB \(ASSETS/,
        },
      },
    });
    t.match(await last, { width: 10 });
  },
);

t.test('what would have too many pixels is refused before it is made', async (t) => {
  const made = await started(t);
  await t.rejects(made({ width: '6000', format: 'avif' }, 'a'), {
    code: 'UNPROCESSABLE_ENTITY',
    details: {
      reason: {
        ...{ code: 'image_has_too_many_pixels', parameters: { format: 'avif', limit: 9_000_000 } },
        sentence: /avif may have 9000000 pixels \(ASSETS_TRANSFORM_MAX_PIXELS\)/,
      },
    },
  });
});

import { randomInt } from 'node:crypto';
import t from 'tap';
import { fuzz } from '../security/fuzz/check.ts';

/** Milliseconds. */
const DURATION = Number(process.env.FUZZ_DURATION ?? 30_000);

t.test('no request breaks anything or reveals anything', async (t) => {
  await fuzz(t, DURATION, randomInt(2 ** 30));
});

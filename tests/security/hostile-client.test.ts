// @newest @slow
/** HOSTILE_SEED repeats a run, as far as the timing of sockets allows. */
import t from 'tap';
import { annoy, besiege, build, inspect } from '#tests/chaos/hostile/siege.ts';

const SEED = Number(process.env.HOSTILE_SEED ?? 1);
const DURATION = 3_000;
const REFUSED = 500;

t.test('nothing that clients do ends an edge or stays behind', async (t) => {
  t.comment(`HOSTILE_SEED=${SEED}`);
  const fortress = await build(t);
  t.comment(`${await besiege(fortress, SEED, DURATION)} attacks`);
  await inspect(t, fortress);
  t.strictSame(await annoy(fortress, REFUSED), [], 'all are refused');
  await inspect(t, fortress);
});

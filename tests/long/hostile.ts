/** Hostile clients for a minute, and ten thousand requests that are refused. */
import t from 'tap';
import { annoy, besiege, build, inspect } from '../chaos/hostile/siege.ts';

const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 32));
const DURATION = 60_000;
const REFUSED = 10_000;

t.test('nothing that clients do ends an edge or stays behind', async (t) => {
  t.comment(`HOSTILE_SEED=${SEED}`);
  const fortress = await build(t);
  t.comment(`${await besiege(fortress, SEED, DURATION)} attacks`);
  await inspect(t, fortress);
  t.strictSame(await annoy(fortress, REFUSED), [], 'all are refused');
  await inspect(t, fortress);
});

import { randomInt } from 'node:crypto';
import t from 'tap';
import { openPool } from '../property/install.ts';
import { checkWorld } from '../property/write/check.ts';

const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 1_000);
const SEED = Number(process.env.PROPERTY_SEED ?? randomInt(2 ** 31 - WORLDS));
/** More would only repeat the same faults. */
const MOST_FAILURES = 10;

t.test('every payload does what the model says', async (t) => {
  const pool = await openPool(t);
  const counts = { written: 0, refused: 0 };
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}`);
  let failures = 0;
  for (let world = 0; world < WORLDS && failures < MOST_FAILURES; world += 1) {
    if (world % 50 === 0) t.comment(`${world} worlds: ${JSON.stringify(counts)}`);
    const failure = await checkWorld(pool, SEED + world, 50, counts);
    if (failure === null) continue;
    t.comment(failure);
    t.fail('engine and model part');
    failures += 1;
  }
  t.ok(counts.written > 0);
});

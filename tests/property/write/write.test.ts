// @slow
/** Whatever a payload asks for, the database becomes what the model says, or nothing changes. */
import t from 'tap';
import { openPool } from '../install.ts';
import { checkWorld } from './check.ts';

const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 8);
const PAYLOADS = 30;
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

t.test('random payloads', async (t) => {
  const pool = await openPool(t);
  const counts = { written: 0, refused: 0 };
  t.comment(`PROPERTY_SEED=${SEED}`);
  for (let world = 0; world < WORLDS; world += 1) {
    const failure = await checkWorld(pool, SEED + world, PAYLOADS, counts);
    if (failure === null) continue;
    t.comment(failure);
    t.fail('engine and model part');
  }
  t.comment(`${counts.written} written, ${counts.refused} refused`);
  t.ok(counts.written > 30 && counts.refused > 30, 'both happen often enough');
});

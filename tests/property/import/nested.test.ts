// @slow
/** A file with related items ends as its rows sent one by one: random relations, rights and rows. */
import t from 'tap';
import { openPool } from '../install.ts';
import { type Counts, checkNested } from './nested.ts';

const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 25);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

t.test('an import ends as the same rows sent one by one', async (t) => {
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}`);
  const pool = await openPool(t);
  const counts: Counts = { written: 0, refused: 0, formats: new Map() };
  const failures: string[] = [];
  for (let seed = SEED; seed < SEED + WORLDS && failures.length < 5; seed += 1) {
    const failure = await checkNested(pool, seed, counts);
    if (failure !== null) failures.push(failure);
  }
  for (const failure of failures) t.fail(failure);
  t.comment(`${counts.written} rows written, ${counts.refused} refused`);
  if (WORLDS >= 25) {
    t.ok(counts.written > WORLDS && counts.refused > WORLDS, 'rows of both kinds');
    t.equal(counts.formats.size, 3, 'each format');
  }
});

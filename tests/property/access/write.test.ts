// @newest @slow

import t from 'tap';
import { openPool } from '../install.ts';
import { checkAllWrites } from './write.ts';

/** Where the worlds of this run begin; PROPERTY_SEED repeats what a report names. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 20);
/** Of each of three persons. */
const DEEDS = 16;

t.test('a write does what the rights allow, and nothing else', async (t) => {
  const met = new Map<string, number>();
  const pool = await openPool(t);
  const cover = (cell: string) => met.set(cell, (met.get(cell) ?? 0) + 1);
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}, ${DEEDS} writes a person`);
  const seeds = Array.from({ length: WORLDS }, (_, index) => SEED + index);
  for await (const { failure } of checkAllWrites({ pool, deeds: DEEDS, cover }, seeds)) {
    if (failure === null) continue;
    t.comment(failure);
    t.fail('a write went wrong');
  }
  t.comment(
    [...met]
      .sort()
      .map(([cell, count]) => `${cell}: ${count}`)
      .join('\n'),
  );
  if (process.env.PROPERTY_SEED === undefined) {
    for (const action of ['create', 'update', 'delete']) {
      for (const count of ['one', 'many']) {
        const codes = ['done', 'FORBIDDEN', ...(action === 'delete' ? [] : ['FAILED_VALIDATION'])];
        for (const code of codes)
          t.ok(met.has(`${action} ${count} ${code}`), `${action} ${count} ${code}`);
      }
    }
  }
});

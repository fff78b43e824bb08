// @newest @slow

import { randomUUID } from 'node:crypto';
import t from 'tap';
import { Dice } from '#tests/harness/dice.ts';
import { codedError, openSchema } from '#tests/harness/schema.ts';
import { bothCatalogs, dangling, permitAll, useAll } from './check.ts';
import { someChange } from './operation.ts';

const SEED = Number(process.env.SEED ?? 1);
const STEPS = Number(process.env.STEPS ?? 80);
/** Steps between two uses of everything. */
const PERIOD = 8;

t.test(`after random changes the schema is as described (seed ${SEED})`, async (t) => {
  const dice = new Dice(SEED);
  const tested = await openSchema(t);
  const { pool } = tested;
  const policy = randomUUID();
  await pool.query('INSERT INTO system_policies (id, name) VALUES ($1, $2)', [policy, 'all']);
  const made = new Map<string, number>();
  const refusals: string[] = [];
  let written = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const change = someChange(dice, tested.source.current());
    const place = `step ${step} of SEED=${SEED}: ${JSON.stringify(change)}`;
    const refusal = await tested.change(change).then(() => null, codedError);
    if (refusal !== null) {
      refusals.push(`${change.kind}: ${refusal.code} ${refusal.message}`);
      if (refusal.status >= 500) return void t.fail(`${place}: ${refusal.message}`);
      continue;
    }
    made.set(change.kind, (made.get(change.kind) ?? 0) + 1);
    const catalog = tested.source.current();
    const [published, whole] = await bothCatalogs(pool);
    if (!t.strictSame(published, whole, place)) return;
    if (!t.same(await dangling(pool, catalog), [], place)) return;
    if (step % PERIOD !== 0) continue;
    written += await useAll(tested, step + 1).catch((error: unknown) => {
      t.comment(place);
      throw error;
    });
    await permitAll(pool, policy, catalog);
  }
  written += await useAll(tested, STEPS + 1);
  t.comment(JSON.stringify([...made]));
  if (process.env.SHOW !== undefined) for (const one of refusals) t.comment(one);
  const total = [...made.values()].reduce((sum, count) => sum + count, 0);
  t.ok(total > STEPS / 4, `${total} of ${STEPS} changes were made`);
  t.ok(written > 0, `${written} items were written`);
});

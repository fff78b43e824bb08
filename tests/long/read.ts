import { randomInt } from 'node:crypto';
import t from 'tap';
import { checkWorlds } from '../property/check.ts';
import { Coverage } from '../property/coverage.ts';
import { openPool } from '../property/install.ts';

const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 4_000);
const SEED = Number(process.env.PROPERTY_SEED ?? randomInt(2 ** 31 - WORLDS));
const QUESTIONS = 50;
/** More would only repeat the same faults. */
const MOST_FAILURES = 10;

t.test('every answer is the one that a naive evaluator gives', async (t) => {
  const coverage = new Coverage();
  const pool = await openPool(t);
  const run = { pool, questions: QUESTIONS, cover: coverage.add };
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}, ${QUESTIONS} questions each`);
  const seeds = Array.from({ length: WORLDS }, (_, index) => SEED + index);
  let done = 0;
  let failures = 0;
  for await (const { failure } of checkWorlds(run, seeds)) {
    done += 1;
    if (done % 100 === 0) t.comment(`${done} worlds`);
    if (failure === null) continue;
    t.comment(failure);
    t.fail('a question is answered wrongly');
    failures += 1;
    if (failures === MOST_FAILURES) break;
  }
  t.comment(coverage.report());
  if (process.env.PROPERTY_SEED === undefined) {
    t.strictSame(coverage.missing(), [], 'no case is without a question');
  }
});

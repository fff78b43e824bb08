// @slow

import t from 'tap';
import { checkWorlds } from './check.ts';
import { Coverage } from './coverage.ts';
import { openPool } from './install.ts';

/** Where the worlds of this run begin; PROPERTY_SEED repeats what a report names. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
/** An ordinary role on another release reads in the same way; a few worlds show that it does. */
const ORDINARY = process.env.TEST_ROLE === 'ordinary';
const WORLDS = Number(process.env.PROPERTY_WORLDS ?? (ORDINARY ? 30 : 100));
const QUESTIONS = 50;

t.test('every answer is the one that a naive evaluator gives', async (t) => {
  const coverage = new Coverage();
  const pool = await openPool(t);
  const run = { pool, questions: QUESTIONS, cover: coverage.add };
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}, ${QUESTIONS} questions each`);
  const seeds = Array.from({ length: WORLDS }, (_, index) => SEED + index);
  for await (const { failure } of checkWorlds(run, seeds)) {
    if (failure === null) continue;
    t.comment(failure);
    t.fail('a question is answered wrongly');
  }
  t.comment(coverage.report());
  if (process.env.PROPERTY_SEED === undefined && !ORDINARY) {
    t.strictSame(coverage.missing(), [], 'no case is without a question');
  }
});

// @newest @slow

import t from 'tap';
import { openPool } from '../install.ts';
import { checkSocieties } from './check.ts';
import { AccessCoverage } from './coverage.ts';

/** Where the worlds of this run begin; PROPERTY_SEED repeats what a report names. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 70);
/** Of each of three persons; each is asked twice. */
const QUESTIONS = 12;

t.test('everybody is answered from what may be seen, and from nothing else', async (t) => {
  const coverage = new AccessCoverage();
  const pool = await openPool(t);
  const run = { pool, questions: QUESTIONS, cover: coverage.add };
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}, ${QUESTIONS} questions a person`);
  const seeds = Array.from({ length: WORLDS }, (_, index) => SEED + index);
  for await (const { failure } of checkSocieties(run, seeds)) {
    if (failure === null) continue;
    t.comment(failure);
    t.fail('somebody is answered wrongly');
  }
  t.comment(coverage.report());
  if (process.env.PROPERTY_SEED === undefined) {
    t.strictSame(coverage.missing(), [], 'no case is without a question');
  }
});

import { randomInt } from 'node:crypto';
import t from 'tap';
import { checkSocieties } from '../property/access/check.ts';
import { AccessCoverage } from '../property/access/coverage.ts';
import { openPool } from '../property/install.ts';

/** Three persons each, who ask twelve questions twice: some 200,000 requests. */
const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 2_800);
const SEED = Number(process.env.PROPERTY_SEED ?? randomInt(2 ** 31 - WORLDS));
const QUESTIONS = 12;
/** More would only repeat the same faults. */
const MOST_FAILURES = 10;

t.test('everybody is answered from what may be seen, and from nothing else', async (t) => {
  const coverage = new AccessCoverage();
  const pool = await openPool(t);
  const run = { pool, questions: QUESTIONS, cover: coverage.add };
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}, ${QUESTIONS} questions a person`);
  const seeds = Array.from({ length: WORLDS }, (_, index) => SEED + index);
  let done = 0;
  let failures = 0;
  for await (const { failure } of checkSocieties(run, seeds)) {
    done += 1;
    if (done % 100 === 0) t.comment(`${done} worlds`);
    if (failure === null) continue;
    t.comment(failure);
    t.fail('somebody is answered wrongly');
    failures += 1;
    if (failures === MOST_FAILURES) break;
  }
  t.comment(coverage.report());
  if (process.env.PROPERTY_SEED === undefined) {
    t.strictSame(coverage.missing(), [], 'no case is without a question');
  }
});

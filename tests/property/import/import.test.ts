/** A file ends as its rows sent one by one: random collections, rights and rows. */
import pg from 'pg';
import t from 'tap';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { type Counts, checkWorld } from './check.ts';

const WORLDS = Number(process.env.PROPERTY_WORLDS ?? 30);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

t.test('an import ends as the same rows sent one by one', async (t) => {
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_WORLDS=${WORLDS}`);
  const client = new pg.Client({ connectionString: await createSystemDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  const counts: Counts = { written: 0, refused: 0, codes: new Map() };
  const failures: string[] = [];
  for (let seed = SEED; seed < SEED + WORLDS && failures.length < 5; seed += 1) {
    const failure = await checkWorld(client, seed, counts);
    if (failure !== null) failures.push(failure);
  }
  t.strictSame(failures, []);
  t.comment(
    `${counts.written} rows written, ${counts.refused} refused: ${JSON.stringify([...counts.codes])}`,
  );
  if (WORLDS > 20) {
    t.ok(counts.written > WORLDS && counts.refused > WORLDS, 'rows of both kinds');
    for (const code of ['FORBIDDEN', 'FAILED_VALIDATION']) {
      t.ok(
        [...counts.codes.keys()].some((told) => told.startsWith(code)),
        code,
      );
    }
  }
});

// @slow

import t from 'tap';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import { readChanges } from '#core/model/catalog/catalog-store.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import { publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { install } from '#tests/core/model/catalog/installation.ts';
import { Dice } from '#tests/harness/dice.ts';
import { CHANGES, REMOTE, SETUP } from './statement.ts';

const SEED = Number(process.env.SEED ?? 1);
const STEPS = Number(process.env.STEPS ?? 40);
const PLACE = { schemas: ['public', 'other'], system: 'public' };

/** What is published, and what would be if everything were described anew. */
async function both(pool: Pool) {
  const { collections, leftOut } = await readChanges(pool, 'public', 0);
  const found = await transaction(pool, async (client) => {
    await client.query('SET LOCAL search_path = pg_catalog');
    return introspect(client, PLACE.schemas, PLACE.system);
  });
  const composition = buildDescriptors(found, PLACE.schemas, PLACE.system);
  const entries = composition.collections.map((entry) => [entry.name, entry] as const);
  return {
    published: { leftOut, collections: Object.fromEntries([...collections].filter(([, e]) => e)) },
    whole: JSON.parse(
      JSON.stringify({ leftOut: composition.leftOut, collections: Object.fromEntries(entries) }),
    ),
  };
}

/** Runs statements one after the other; those that PostgreSQL refuses are left out. */
async function runAll(client: Client, statements: readonly string[]): Promise<string[]> {
  const done: string[] = [];
  for (const statement of statements) {
    await client.query('SAVEPOINT step');
    try {
      await client.query(statement);
      done.push(statement);
    } catch {
      await client.query('ROLLBACK TO SAVEPOINT step');
    }
  }
  return done;
}

t.test(`what is published is what is there, whatever changed (seed ${SEED})`, async (t) => {
  const dice = new Dice(SEED);
  const { pool, open } = await install(t, SETUP, 'public,other');
  const source = await open(false);
  let effective = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const within = dice.below(2) === 0;
    let done: string[];
    if (within) {
      const statements = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(CHANGES)(dice));
      done = await transaction(pool, async (client) => {
        const run = await runAll(client, statements);
        await publishWithin(client, PLACE);
        return run;
      });
    } else {
      const statement = dice.pick(REMOTE)(dice);
      done = await pool.query(statement).then(
        () => [statement],
        () => [],
      );
      await source.refresh();
    }
    if (done.length === 0) continue;
    effective += 1;
    const { published, whole } = await both(pool);
    if (!t.strictSame(published, whole, `${within ? 'within' : 'after'}: ${done.join('; ')}`)) {
      t.comment(`SEED=${SEED}, step ${step}`);
      return;
    }
    const { version } = await source.refresh();
    t.equal((await source.refresh()).version, version);
  }
  t.ok(effective > STEPS / 5, `${effective} of ${STEPS} steps had an effect`);
});

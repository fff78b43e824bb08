/**
 * Tables that a migration drops and recreates in one transaction are never omitted or described
 * incompletely. A statement has a snapshot of PostgreSQL's catalogs from its start, but the
 * privileges and expressions of dropped objects are gone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CollectionDescriptor } from '#core/model/catalog/descriptor.ts';
import { findUnpublishedChanges } from '#core/model/catalog/find-unpublished-changes.ts';
import { resetCatalogEverywhere } from '#core/model/catalog/reset-catalog-everywhere.ts';
import { until } from '#tests/harness/until.ts';
import { install } from './installation.ts';

const log = pino({ level: 'silent' });
const PLACE = { schemas: ['public'], system: 'public' };
const REPLACE = `
  DROP TABLE IF EXISTS replaced, target;
  CREATE TABLE target (id serial PRIMARY KEY, title text);
  CREATE TABLE replaced (
    id serial PRIMARY KEY, title text DEFAULT 'none', target integer REFERENCES target);`;
/** Comparisons; in three of four tables are replaced. */
const COMPARISONS = 80;
/** The latest moment (ms) of a comparison at which they are. */
const SPREAD_MS = 25;

/** The description of the table. */
function shown(collection: CollectionDescriptor | undefined): string {
  const table = collection?.table;
  const columns = table?.columns.map(({ name, defaultExpression }) => [name, defaultExpression]);
  const keys = table?.foreignKeys.map(({ targetTable }) => targetTable);
  return JSON.stringify({ columns, keys });
}

function shownIn(catalog: Catalog): string {
  return `${shown(catalog.collections.get('replaced')?.descriptor)} ${JSON.stringify(catalog.leftOut)}`;
}

t.test('a table that is replaced has its old or its new description', async (t) => {
  const { pool, sql, open } = await install(t, REPLACE);
  const source = await open(true);
  const whole = shownIn(source.current());
  t.match(whole, /none/, 'its default is described');
  const published: string[] = [];
  source.onChange((catalog) => published.push(shownIn(catalog)));
  const described: string[] = [];
  const results = { whole: 0, moving: 0 };
  for (let comparison = 0; comparison < COMPARISONS; comparison += 1) {
    const compared = transaction(pool, async (client) => {
      await client.query('SET LOCAL search_path = pg_catalog');
      return findUnpublishedChanges(client, PLACE, { names: null, whole: true });
    }).then(({ entries, leftOut, gone, moving }) => {
      const entry = entries.find(({ name }) => name === 'replaced');
      const text = entry === undefined ? '' : shown(JSON.parse(entry.descriptor));
      if (entry === undefined) t.ok(moving.has('replaced'), 'it is not described while it changes');
      else described.push(`${text} ${JSON.stringify(leftOut)}`);
      t.strictSame([leftOut, gone], [[], []]);
      results[moving.size === 0 ? 'whole' : 'moving'] += 1;
    });
    // Somewhere within the comparison.
    await delay(comparison % SPREAD_MS);
    await Promise.all([compared, comparison % 4 > 0 && sql(REPLACE)]);
  }
  t.comment(results);
  t.ok(results.whole > 0 && results.moving > 0, 'it was replaced during comparisons');
  published.push(shownIn(await source.refresh()));
  t.strictSame(
    [...new Set([...described, ...published])],
    [whole],
    'no process receives a wrong table',
  );
});

t.test('continuous replacement does not prevent other publications', async (t) => {
  const { pool, sql, open } = await install(t, REPLACE);
  const source = await open(true);
  const whole = shownIn(source.current());
  let isReplacing = true;
  const replacing = (async () => {
    while (isReplacing) await sql(REPLACE);
  })();
  await sql('CREATE TABLE other (id integer PRIMARY KEY)');
  await until(() => source.current().collections.has('other'), 'another table is served');
  t.equal(shownIn(source.current()), whole);
  const bus = { publish: async () => undefined };
  t.equal(await resetCatalogEverywhere({ pool, bus, log, catalogSchemas: PLACE }), 1);
  isReplacing = false;
  await replacing;
  await until(async () => (await source.status()).settled, 'all is described');
  t.equal(shownIn(source.current()), whole);
});

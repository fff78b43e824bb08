/**
 * Tables that a migration drops and makes again in one transaction are never left out, nor
 * described by half: a statement that reads PostgreSQL's catalogs sees them as of its beginning, but
 * the privileges and expressions of what was dropped meanwhile are gone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import type { Catalog } from '#core/catalog/catalog.ts';
import { assemble, Moved } from '#core/catalog/find-changes.ts';
import { resetEverywhere } from '#core/catalog/reload-everywhere.ts';
import { transaction } from '#core/database/pool.ts';
import { install } from './installation.ts';

const log = pino({ level: 'silent' });
const PLACE = { schemas: ['public'], system: 'public' };
const REPLACE = `
  DROP TABLE IF EXISTS replaced, target;
  CREATE TABLE target (id serial PRIMARY KEY, title text);
  CREATE TABLE replaced (
    id serial PRIMARY KEY, title text DEFAULT 'none', target integer REFERENCES target);`;
/** Comparisons in each of which tables are replaced. */
const COMPARISONS = 120;
/** The latest moment (ms) of a comparison at which they are. */
const SPREAD_MS = 25;

/** What a reader of the catalog is told about the table. */
function shown(catalog: Catalog): string {
  const table = catalog.collections.get('replaced')?.table;
  const columns = table?.columns.map(({ name, defaultExpression, sequence }) =>
    [name, defaultExpression, sequence?.join('.')].join(' '),
  );
  const keys = table?.foreignKeys.map(({ targetTable }) => targetTable);
  return JSON.stringify({ columns, keys, leftOut: catalog.leftOut });
}

t.test('a table that is replaced is described as it was or as it is', async (t) => {
  const { pool, sql, open } = await install(t, REPLACE);
  const source = await open(true);
  const whole = shown(source.current());
  t.match(whole, /none/, 'its default is described');
  const published: string[] = [];
  source.onChange((catalog) => published.push(shown(catalog)));
  const results = { compared: 0, moved: 0 };
  const leftOut: unknown[] = [];
  for (let comparison = 0; comparison < COMPARISONS; comparison += 1) {
    const compared = transaction(pool, async (client) => {
      await client.query('SET LOCAL search_path = pg_catalog');
      return assemble(client, PLACE, { names: null, whole: false });
    }).then(
      (assembly) => {
        leftOut.push(...assembly.leftOut);
        results.compared += 1;
      },
      (error: unknown) => {
        if (!(error instanceof Moved)) throw error;
        results.moved += 1;
      },
    );
    // Somewhere within the comparison.
    await delay(comparison % SPREAD_MS);
    await Promise.all([compared, sql(REPLACE)]);
  }
  t.comment(results);
  t.strictSame(leftOut, [], 'no comparison took it for a table that may not be read');
  t.ok(results.compared > 0, 'comparisons come to an end');
  t.ok(results.moved > 0, 'it was replaced during comparisons');
  published.push(shown(await source.refresh()));
  t.strictSame([...new Set(published)], [whole], 'no process was told of another table');
});

t.test(
  'a reset beside tables that are replaced all the time asks for another attempt',
  async (t) => {
    const { pool, sql, open } = await install(t, REPLACE);
    await open(false);
    let isReplacing = true;
    const replacing = (async () => {
      while (isReplacing) await sql(REPLACE);
    })();
    const bus = { publish: async () => undefined };
    const reset = () => resetEverywhere({ pool, bus, log, catalogSchemas: PLACE });
    await t.rejects(reset(), { code: 'SERVICE_UNAVAILABLE' });
    isReplacing = false;
    await replacing;
    t.equal(await reset(), 1, 'which succeeds afterwards');
  },
);

// @newest

import { monitorEventLoopDelay } from 'node:perf_hooks';
import t from 'tap';
import { collection, install } from './installation.ts';

const TABLES = 500;

/** A schema as a large application has it: keys, references, indexes, defaults, comments. */
function schema(): string {
  const tables = Array.from(
    { length: TABLES },
    (_, i) => `
      CREATE TABLE t${i} (
        id serial PRIMARY KEY, title text NOT NULL DEFAULT 'x', label varchar(80),
        price numeric(10, 2) CHECK (price > 0), made timestamptz DEFAULT now(), extra jsonb,
        flag boolean, parent integer ${i > 0 ? `REFERENCES t${i - 1}` : ''}, day date, code uuid UNIQUE
      );
      COMMENT ON COLUMN t${i}.title IS 'what it is called';
      CREATE INDEX ON t${i} (parent);`,
  );
  return tables.join('');
}

t.test(`a schema of ${TABLES} tables is built without blocking the process`, async (t) => {
  const { sql, open } = await install(t, schema());
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const source = await open(false);
  const built = performance.now();
  const catalog = source.current();
  t.equal([...catalog.collections.values()].filter(({ system }) => !system).length, TABLES);
  t.equal(catalog.relations.get('t0')?.get('t1')?.kind, 'o2m');
  t.equal(collection(catalog, 't499').fields.size, 10);
  const building = Math.round(delay.max / 1e6);

  delay.reset();
  await sql('ALTER TABLE t250 ADD COLUMN more text');
  const changed = performance.now();
  const next = await source.refresh();
  const refreshed = performance.now();
  t.ok(collection(next, 't250').fields.has('more'));
  const same = [...next.collections.values()].filter(
    (entry) => catalog.collections.get(entry.name) === entry,
  );
  t.equal(same.length, catalog.collections.size - 1, 'all other collections stay the same objects');
  delay.disable();

  const ms = (from: number, to: number) => `${Math.round(to - from)} ms`;
  t.comment(`first: ${ms(started, built)}, longest block ${building} ms`);
  t.comment(`one change: ${ms(changed, refreshed)}, longest ${Math.round(delay.max / 1e6)} ms`);
});

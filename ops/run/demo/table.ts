/**
 * The two tables of the demo. An unrelated table of the same name stays unchanged, and the demo
 * stops.
 */
import pg from 'pg';
import { identifier, literal, render, type Sql, sql } from '#core/database/sql.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import type { Api } from './api.ts';

/** The comment that identifies the tables of the demo. */
const MARK = 'Made by npm run demo from the package vega-datasets';

const NOTICE_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;

interface Table {
  readonly name: string;
  readonly create: (schema: string) => Sql;
}

const AIRPORTS: Table = {
  name: 'airports',
  create: (schema) => sql`
    CREATE TABLE ${identifier(schema, 'airports')} (
      iata varchar(4) PRIMARY KEY,
      name text NOT NULL,
      city text,
      state varchar(2),
      country text,
      latitude double precision,
      longitude double precision
    )`,
};

/** The pair of airports is the key: the file contains each pair once, and can be imported again. */
const ROUTES: Table = {
  name: 'routes',
  create: (schema) => sql`
    CREATE TABLE ${identifier(schema, 'routes')} (
      origin varchar(4) REFERENCES ${identifier(schema, 'airports')} (iata),
      destination varchar(4) REFERENCES ${identifier(schema, 'airports')} (iata),
      count integer NOT NULL CHECK (count > 0),
      PRIMARY KEY (origin, destination)
    );
    CREATE INDEX ON ${identifier(schema, 'routes')} (destination)`,
};

type Found = 'made' | 'found';

async function makeTable(client: pg.Client, schema: string, table: Table): Promise<Found> {
  const { name, create } = table;
  const { rows } = await client.query<{ mark: string | null }>(
    render(sql`SELECT obj_description(c.oid, 'pg_class') AS mark
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${schema} AND c.relname = ${name}`),
  );
  const [existing] = rows;
  if (existing?.mark === MARK) return 'found';
  if (existing !== undefined) {
    throw new SetupError(
      `The database has its own table ${name}, which the demo does not touch: ` +
        'run the demo on another database',
    );
  }
  const comment = sql`COMMENT ON TABLE ${identifier(schema, name)} IS ${literal(MARK)}`;
  await client.query(render(sql`${create(schema)}; ${comment}`));
  return 'made';
}

/**
 * Creates missing tables.
 * @param url of the database
 * @throws {SetupError} when an unrelated table has the same name
 */
export async function makeTables(url: string, schema: string): Promise<Found> {
  const client = new pg.Client({ connectionString: url, application_name: 'sluice demo' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    const airports = await makeTable(client, schema, AIRPORTS);
    const routes = await makeTable(client, schema, ROUTES);
    await client.query('COMMIT');
    return airports === 'made' || routes === 'made' ? 'made' : 'found';
  } finally {
    await client.end();
  }
}

/**
 * Waits until the API serves the tables.
 * @throws {SetupError} when it does not within {@link NOTICE_WITHIN_MS}
 */
export async function untilServed(api: Api): Promise<void> {
  const deadline = Date.now() + NOTICE_WITHIN_MS;
  for (const { name } of [AIRPORTS, ROUTES]) {
    for (;;) {
      const response = await api.send(`/items/${name}?limit=1`);
      await response.body?.cancel();
      if (response.ok) break;
      if (Date.now() >= deadline) {
        throw new SetupError(
          `The Sluice at ${api.url} does not serve the new table ${name}: does it use the ` +
            'DATABASE_URL, DATA_DIR and DATABASE_SCHEMA of the demo?',
        );
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

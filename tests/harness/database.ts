/** Gives each test file a database of its own on the server that `tests/run.ts` started. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** What a test registers its cleaning up with. */
export interface Teardown {
  teardown(handler: () => unknown): void;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run tests with npm test`);
  return value;
}

/** Runs statements as the superuser of the test server. */
export async function asSuperuser(
  work: (client: pg.Client) => Promise<void>,
  database = 'postgres',
): Promise<void> {
  const url = new URL(required('TEST_POSTGRES_URL'));
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** A pool that has ended may still be saying goodbye; what stays longer is forced out. */
const GOODBYE_MS = 2_000;

/** Waits until nobody is connected to a database, but not for long. */
async function left(client: pg.Client, database: string): Promise<void> {
  const end = performance.now() + GOODBYE_MS;
  const text = 'SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE datname = $1';
  while (performance.now() < end) {
    const { rows } = await client.query<{ sessions: number }>(text, [database]);
    if (rows[0]?.sessions === 0) return;
    await delay(10);
  }
}

/**
 * Makes an empty database and drops it when the test ends. In the pass for ordinary roles its
 * owner is a role without any special right, and the URL is that role's.
 */
export async function createDatabase(t: Teardown): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const ordinary = process.env.TEST_ROLE === 'ordinary';
  await asSuperuser(async (client) => {
    if (ordinary) await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
    await client.query(`CREATE DATABASE ${name} ${ordinary ? `OWNER ${name}` : ''}`);
  });
  if (ordinary) {
    await asSuperuser(async (client) => {
      await client.query(`ALTER SCHEMA public OWNER TO ${name}`);
    }, name);
  }
  t.teardown(() =>
    asSuperuser(async (client) => {
      await left(client, name);
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      if (ordinary) await client.query(`DROP ROLE ${name}`);
    }),
  );
  const url = new URL(required('TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  if (ordinary) {
    url.username = name;
    url.password = name;
  }
  return url.href;
}

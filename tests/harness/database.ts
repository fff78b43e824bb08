/** Gives each test file a database of its own on the server that `tests/run.ts` started. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '#core/model/system/migrate.ts';

/** What a test registers its cleaning up with. */
export interface Teardown {
  teardown(handler: () => unknown): void;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run tests with npm test`);
  return value;
}

/** Whether this is the pass for roles without any special right. */
const ORDINARY = process.env.TEST_ROLE === 'ordinary';
/** The database with the system tables that others are copied from. */
const TEMPLATE = 'template_system';

/** @param role whose password is its name; the superuser when left out */
function urlOf(database: string, role?: string): string {
  const url = new URL(required('TEST_POSTGRES_URL'));
  url.pathname = `/${database}`;
  if (role !== undefined) {
    url.username = role;
    url.password = role;
  }
  return url.href;
}

/** Runs statements as the superuser of the test server. */
export async function asSuperuser(
  work: (client: pg.Client) => Promise<void>,
  database = 'postgres',
): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
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
 * Copying files takes a fourth of what writing them to the log does. PostgreSQL 14, on which the
 * roles are ordinary ones, knows no other way.
 */
function options(name: string): string {
  return ORDINARY ? `OWNER ${name}` : 'STRATEGY file_copy';
}

/** Makes a database under a name of its own and drops it when the test ends. */
async function make(t: Teardown, template: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asSuperuser(async (client) => {
    if (ORDINARY) await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${options(name)}`);
  });
  t.teardown(() =>
    asSuperuser(async (client) => {
      await left(client, name);
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      if (ORDINARY) await client.query(`DROP ROLE ${name}`);
    }),
  );
  return name;
}

/**
 * Makes an empty database and drops it when the test ends. In the pass for ordinary roles its
 * owner is a role without any special right, and the URL is that role's.
 */
export async function createDatabase(t: Teardown): Promise<string> {
  const name = await make(t, 'template1');
  if (!ORDINARY) return urlOf(name);
  await asSuperuser(async (client) => {
    await client.query(`ALTER SCHEMA public OWNER TO ${name}`);
  }, name);
  return urlOf(name, name);
}

/** Makes the database that {@link createSystemDatabase} copies; once, before all tests. */
export async function makeTemplate(): Promise<void> {
  await asSuperuser(async (client) => {
    if (ORDINARY) await client.query(`CREATE ROLE ${TEMPLATE} LOGIN PASSWORD '${TEMPLATE}'`);
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
  });
  if (ORDINARY) {
    await asSuperuser(async (client) => {
      await client.query(`ALTER SCHEMA public OWNER TO ${TEMPLATE}`);
    }, TEMPLATE);
  }
  await migrate({ DATABASE_SCHEMA: ['public'] }, urlOf(TEMPLATE, ORDINARY ? TEMPLATE : undefined));
}

/**
 * Makes a database like {@link createDatabase}, with the system tables in its schema `public` as
 * migrations leave them, and an installation's id of its own.
 */
export async function createSystemDatabase(t: Teardown): Promise<string> {
  const name = await make(t, TEMPLATE);
  await asSuperuser(async (client) => {
    if (ORDINARY) await client.query(`REASSIGN OWNED BY ${TEMPLATE} TO ${name}`);
    await client.query(
      "UPDATE system_state SET value = to_jsonb(gen_random_uuid()) WHERE name = 'cluster'",
    );
  }, name);
  return urlOf(name, ORDINARY ? name : undefined);
}

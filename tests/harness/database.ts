/** Gives each test file a separate database on the server that `tests/run.ts` started. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '#core/model/system/migrate.ts';

/** The object with which a test registers its cleanup. */
export interface Teardown {
  teardown(handler: () => unknown): void;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run tests with npm test`);
  return value;
}

/** Whether this is the pass with roles without special privileges. */
const ORDINARY = process.env.TEST_ROLE === 'ordinary';
/** The database with the system tables that is copied. */
const TEMPLATE = 'template_system';

/** @param role whose password is its name; by default the superuser */
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

/** Time (ms) for an ended pool to close its sessions; later sessions are terminated. */
const GOODBYE_MS = 2_000;

/** Waits, for a limited time, until no session is connected to a database. */
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
 * Copying files takes a fourth of the time of writing them to the log. PostgreSQL 14, used in the
 * pass with ordinary roles, has no such option.
 */
function options(name: string): string {
  return ORDINARY ? `OWNER ${name}` : 'STRATEGY file_copy';
}

/** Creates a database with a unique name and drops it when the test ends. */
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
 * Creates an empty database and drops it when the test ends. In the pass for ordinary roles its
 * owner is a role without special privileges, and the URL uses that role.
 */
export async function createDatabase(t: Teardown): Promise<string> {
  const name = await make(t, 'template1');
  if (!ORDINARY) return urlOf(name);
  await asSuperuser(async (client) => {
    await client.query(`ALTER SCHEMA public OWNER TO ${name}`);
  }, name);
  return urlOf(name, name);
}

/** Creates the database that {@link createSystemDatabase} copies; once, before all tests. */
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
 * Creates a database like {@link createDatabase}, with the migrated system tables in its schema
 * `public`, and a new installation id.
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

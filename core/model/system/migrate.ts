/**
 * Migrates the system tables to this release: the files in `migrations/`, in order, in one
 * transaction, by one process at a time. A database that a later release has migrated stays as it
 * is, so that two releases can run side by side.
 */
import { join } from 'node:path';
import pg from 'pg';
import Postgrator from 'postgrator';
import type { Config } from '#core/base/config/variables.ts';
import { identifier, quote, render, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { SetupError } from './setup-error.ts';
import { systemSchema, systemTable } from './system-table.ts';

const FOLDER = join(import.meta.dirname, 'migrations');
const VERSION_TABLE = 'system_migrations';

interface State {
  readonly role: string;
  readonly schemaExists: boolean;
  readonly versionTable: boolean;
}

async function readState(client: pg.Client, schema: string): Promise<State> {
  const result = await client.query<State>(
    render(sql`
      SELECT current_user AS role, n.oid IS NOT NULL AS "schemaExists",
        EXISTS (SELECT FROM pg_class c
          WHERE c.relnamespace = n.oid AND c.relname = ${VERSION_TABLE}) AS "versionTable"
      FROM (SELECT ${schema}::name AS name) wanted
      LEFT JOIN pg_namespace n ON n.nspname = wanted.name`),
  );
  const [state] = result.rows;
  if (state === undefined) throw new Error('a query without conditions returned no row');
  return state;
}

/** Names the missing privilege when `error` is about one; otherwise returns the error. */
function explain(error: unknown, advice: string): unknown {
  const lacksRight =
    error instanceof pg.DatabaseError && error.code === SQLSTATE.insufficientPrivilege;
  return lacksRight ? new SetupError(`DATABASE_SCHEMA: ${advice}`, { cause: error }) : error;
}

async function createSchema(client: pg.Client, schema: string, role: string): Promise<void> {
  try {
    await client.query(render(sql`CREATE SCHEMA ${identifier(schema)}`));
  } catch (error) {
    throw explain(
      error,
      `the schema ${quote(schema)} does not exist and the role ${quote(role)} may not create it; ` +
        `run: CREATE SCHEMA ${quote(schema)} AUTHORIZATION ${quote(role)}`,
    );
  }
}

/** A path as a pattern that matches only itself. */
function asPattern(path: string): string {
  return path.replace(/[?*()[\]{}]/g, '\\$&');
}

/** Runs the pending files; first creates the table of versions. */
async function runFiles(client: pg.Client, schema: string, known: boolean): Promise<string[]> {
  if (!known) {
    // Created here because the library would search all schemas for it, and several installations
    // can share a database.
    await client.query(
      render(sql`CREATE TABLE ${systemTable(schema, 'migrations')}
        (version bigint PRIMARY KEY, name text, md5 text, run_at timestamptz)`),
    );
  }
  await client.query(render(sql`SELECT set_config('search_path', ${quote(schema)}, true)`));
  const postgrator = new Postgrator({
    driver: 'pg',
    migrationPattern: `${asPattern(FOLDER)}/*.sql`,
    schemaTable: VERSION_TABLE,
    newline: 'LF',
    execQuery: (text) => client.query(text),
  });
  const applied = await postgrator.migrate();
  return applied.map((migration) => migration.name);
}

/**
 * Runs every migration that this database lacks, all or none; waits while another process does the
 * same.
 */
export async function migrate(
  config: Pick<Config, 'DATABASE_SCHEMA'>,
  url: string,
  keep = true,
): Promise<readonly string[]> {
  const schema = systemSchema(config);
  const client = new pg.Client({ connectionString: url, application_name: 'sluice migrate' });
  // A lost connection also fails the running query, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL TimeZone = 'UTC'");
    await client.query(
      render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sluice migrate ${schema}`}, 0))`),
    );
    const { role, schemaExists, versionTable } = await readState(client, schema);
    if (!schemaExists) await createSchema(client, schema, role);
    const applied = await runFiles(client, schema, versionTable).catch((error: unknown) => {
      throw explain(
        error,
        `the role ${quote(role)} may not change the system tables in the schema ` +
          `${quote(schema)}; run: GRANT CREATE ON SCHEMA ${quote(schema)} TO ${quote(role)}`,
      );
    });
    await client.query(keep ? 'COMMIT' : 'ROLLBACK');
    return applied;
  } finally {
    // Also ends a transaction that was not committed.
    await client.end();
  }
}

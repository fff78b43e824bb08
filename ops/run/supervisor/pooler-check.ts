/** Checks that a pooler in front of the database supports prepared statements. */
import pg from 'pg';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { describeUrl } from './wait-for-servers.ts';

const WITHIN_MS = 5_000;
/** SQLSTATEs for a prepared statement that is unknown or already exists. */
const MIXED_UP = new Set<string>([
  SQLSTATE.invalidSqlStatementName,
  SQLSTATE.duplicatePreparedStatement,
]);
const NAMED = { name: 'sluice_start', text: 'SELECT 1' };

/**
 * Executes a prepared statement again while another connection uses the server session that
 * prepared it.
 * @throws {SetupError} one line, when the statement is unknown
 */
export async function checkPreparedStatements(url: string): Promise<void> {
  const clients: pg.Client[] = [];
  const open = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: WITHIN_MS,
      query_timeout: WITHIN_MS,
    });
    clients.push(client);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  try {
    const client = await open();
    const other = await open();
    await client.query(NAMED);
    await other.query('BEGIN');
    await client.query(NAMED);
  } catch (error) {
    // Other errors appear when the database is used.
    if (!(error instanceof pg.DatabaseError) || !MIXED_UP.has(error.code ?? '')) return;
    throw new SetupError(
      `DATABASE_URL: the pooler at ${describeUrl(url)} does not keep prepared statements; PgBouncer ` +
        'does so from version 1.21 with max_prepared_statements; or set DATABASE_URL to the database itself',
      { cause: error },
    );
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

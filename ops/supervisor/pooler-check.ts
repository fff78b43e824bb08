/** Checks whether a pooler that stands before the database keeps prepared statements. */
import pg from 'pg';
import { SetupError } from '#core/system/setup-error.ts';
import { describeUrl } from './wait-for-servers.ts';

const WITHIN_MS = 5_000;
/** SQLSTATEs of a name that the backend does not know, or that somebody else has given already. */
const MIXED_UP = new Set(['26000', '42P05']);
const NAMED = { name: 'sluice_start', text: 'SELECT 1' };

/**
 * Uses a prepared statement again while somebody else has the backend that it was prepared on.
 * @throws {SetupError} one line, when it is unknown there
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
    // What else is wrong is noticed by those who use the database.
    if (!(error instanceof pg.DatabaseError) || !MIXED_UP.has(error.code ?? '')) return;
    throw new SetupError(
      `DATABASE_URL: the pooler at ${describeUrl(url)} does not keep prepared statements; PgBouncer ` +
        'does from release 1.21 with max_prepared_statements, or let DATABASE_URL name the database itself',
      { cause: error },
    );
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

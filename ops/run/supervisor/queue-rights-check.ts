/** Checks that the job queue can create its tables in PostgreSQL. */
import pg from 'pg';
import { quote } from '#core/database/sql.ts';
import { SetupError } from '#core/model/system/setup-error.ts';

interface Rights {
  readonly role: string;
  readonly database: string;
  readonly made: boolean;
  readonly mayMake: boolean;
}

/**
 * The queue library needs CREATE on the database until its tables exist.
 * @param url without a pooler
 * @throws {SetupError} naming the missing permission
 */
export async function checkQueueRight(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Rights>(
      `SELECT current_user AS role, current_database() AS database,
        EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'bullmq' AND c.relname = 'migration') AS made,
        has_database_privilege(current_database(), 'CREATE') AS "mayMake"`,
    );
    const [rights] = rows;
    if (rights === undefined || rights.made || rights.mayMake) return;
    throw new SetupError(
      `DATABASE_URL: the role ${quote(rights.role)} may not create the schema of the job queue; run: ` +
        `GRANT CREATE ON DATABASE ${quote(rights.database)} TO ${quote(rights.role)}, ` +
        'or set REDIS_URL',
    );
  } finally {
    await client.end();
  }
}

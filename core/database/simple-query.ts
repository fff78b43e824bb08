/**
 * Runs several statements in one message of the simple query protocol (PostgreSQL, 54.2.2.1), which
 * saves round trips. It suits statements that differ each time; `runTogether` of `prepared.ts`
 * prepares repeated ones.
 */
import type { QueryResult, QueryResultRow } from 'pg';
import type { Client } from './pool.ts';
import { join, renderLiterals, type Sql } from './sql.ts';

/** The driver's types allow only one statement per message. */
function areResults<R extends QueryResultRow>(
  results: unknown,
): results is readonly QueryResult<R>[] {
  return Array.isArray(results);
}

/**
 * Runs at least two statements, up to the first that fails. Outside a transaction they form one
 * transaction. Each sees the data committed before it began. Their values are written as literals.
 */
export async function simpleQuery<R extends QueryResultRow>(
  client: Client,
  statements: readonly Sql[],
): Promise<readonly QueryResult<R>[]> {
  const text = renderLiterals(join(statements, ';\n'), (value) => value);
  const results: unknown = await client.query(text);
  if (!areResults<R>(results)) throw new TypeError('the driver answered a single result');
  return results;
}

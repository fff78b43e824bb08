/**
 * Several statements in one message of the simple query protocol (PostgreSQL, 54.2.2.1), which saves the
 * round trips between them. It suits statements that differ each time. Those that come again are
 * prepared by `runTogether` of `prepared.ts`.
 */
import type { QueryResult, QueryResultRow } from 'pg';
import type { Client } from './pool.ts';
import { join, renderLiterals, type Sql } from './sql.ts';

/** The driver's types know of one statement in a message only. */
function areResults<R extends QueryResultRow>(
  results: unknown,
): results is readonly QueryResult<R>[] {
  return Array.isArray(results);
}

/**
 * Runs at least two statements, up to the first that fails. Outside of a transaction they are one.
 * Each sees what was committed before it began. Their values are written as literals.
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

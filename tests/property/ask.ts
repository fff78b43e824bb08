/** Asks the service under test: parses, compiles and runs a question on the database. */
import type { Pool } from 'pg';
import { ALL_GRANTS, STRANGER } from '#core/access/grant.ts';
import type { Catalog } from '#core/catalog/catalog.ts';
import type { Statement } from '#core/database/sql.ts';
import { compilePage, compileStream, type ReadTarget } from '#core/query/compile/read.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { Query, QueryBounds } from '#core/query/query.ts';
import type { Asked } from './generate/question.ts';
import { spell } from './generate/spelling.ts';

/** The parts of the service that may be replaced by faulty ones. */
export interface Reading {
  compilePage(target: ReadTarget, query: Query): Statement;
  compileStream(target: ReadTarget, query: Query): Statement;
  parseQuery(parameters: Readonly<Record<string, unknown>>, bounds: QueryBounds): Query;
}

export const READING: Reading = { compilePage, compileStream, parseQuery };

export type Reply =
  | { readonly kind: 'answer'; readonly body: unknown; readonly text: string }
  /** The service does not take the question. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The database did not take the statement. */
  | { readonly kind: 'broken'; readonly reason: string; readonly text: string };

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = 'details' in error ? ` ${JSON.stringify(error.details)}` : '';
  return `${error.message}${details}`;
}

export async function ask(
  pool: Pool,
  catalog: Catalog,
  asked: Asked,
  reading: Reading,
): Promise<Reply> {
  const bounds = {
    limitDefault: asked.limitDefault,
    limitMax: undefined,
    maxDepth: 10,
    maxJsonDepth: 10,
    maxFields: 10_000,
  };
  const caller = { ...STRANGER, ...asked.asker, admin: true };
  const target = { catalog, grants: ALL_GRANTS, caller, bounds, collection: asked.table };
  let statement: Statement;
  try {
    const query = reading.parseQuery(spell(asked.parameters, asked.spelling), bounds);
    statement =
      asked.shape === 'page'
        ? reading.compilePage(target, query)
        : reading.compileStream(target, query);
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) };
  }
  const { text } = statement;
  try {
    const { rows } = await pool.query<unknown[]>({ ...statement, rowMode: 'array' });
    const values: unknown[] = rows.map(([value]) => JSON.parse(String(value)));
    return { kind: 'answer', body: asked.shape === 'page' ? values[0] : { data: values }, text };
  } catch (error) {
    return { kind: 'broken', reason: messageOf(error), text };
  }
}

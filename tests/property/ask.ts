/** Asks the service under test: parses, compiles and runs a question on the database. */
import type { Pool } from 'pg';
import { ALL_GRANTS, ANONYMOUS, type Caller, type Grants } from '#core/access/grants.ts';
import type { Statement } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import {
  compileItem,
  compileItems,
  compilePage,
  compileStream,
  type ReadTarget,
} from '#core/read/sql/compile.ts';
import { itemData, listData } from '#core/services/envelope.ts';
import type { Asked } from './generate/question.ts';
import { spell } from './generate/spelling.ts';

export type Reply =
  | {
      readonly kind: 'answer';
      readonly body: unknown;
      /** The answer as it was sent. */
      readonly raw: string;
      readonly text: string;
    }
  /** The service does not take the question. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The database did not take the statement. */
  | { readonly kind: 'broken'; readonly reason: string; readonly text: string };

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = 'details' in error ? ` ${JSON.stringify(error.details)}` : '';
  return `${error.message}${details}`;
}

function compile(target: ReadTarget, query: Query, asked: Asked): Statement {
  const keys = (asked.keys ?? []).map((key) => key.map(String));
  switch (asked.shape) {
    case 'page':
      return compilePage(target, query, query.limit === null ? 'whole' : 'page');
    case 'stream':
      return compileStream(target, query);
    case 'items':
      return compileItems(target, query, keys, false);
    case 'item':
      return compileItem(target, query, keys[0] ?? []);
  }
}

/** As whom the service takes the one who asks. */
export interface CallerRights {
  readonly caller: Caller;
  readonly grants: Grants;
}

/** Somebody from whom nothing is hidden. */
function administrator(asked: Asked): CallerRights {
  return { caller: { ...ANONYMOUS, ...asked.asker, admin: true }, grants: ALL_GRANTS };
}

export async function ask(
  pool: Pool,
  catalog: Catalog,
  asked: Asked,
  callerRights: CallerRights = administrator(asked),
): Promise<Reply> {
  const bounds = {
    limitDefault: asked.limitDefault,
    limitMax: undefined,
    maxDepth: 10,
    maxJsonDepth: 10,
    maxFields: 10_000,
  };
  const target = { ...callerRights, catalog, bounds, collection: asked.table };
  let statement: Statement;
  try {
    const query = parseQuery(spell(asked.parameters, asked.spelling), bounds);
    statement = compile(target, query, asked);
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) };
  }
  const { text } = statement;
  try {
    const { rows } = await pool.query<unknown[]>({ ...statement, rowMode: 'array' });
    const texts = rows.map(([value]) => String(value));
    const raw = rows.join('\n');
    if (asked.shape === 'stream') {
      const data: unknown[] = texts.map((one) => JSON.parse(one));
      return { kind: 'answer', body: { data }, raw, text };
    }
    const [first] = texts;
    if (first === undefined) return { kind: 'refused', reason: 'there is no such item' };
    const { data, meta } = asked.shape === 'item' ? itemData(first) : listData(first);
    const metaPart = meta === null ? {} : { meta: JSON.parse(meta) };
    return { kind: 'answer', body: { data: JSON.parse(String(data)), ...metaPart }, raw, text };
  } catch (error) {
    return { kind: 'broken', reason: messageOf(error), text };
  }
}

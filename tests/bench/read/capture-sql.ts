/** Captures Sluice's own SQL for a read, for the baseline to run. */
import assert from 'node:assert/strict';
import type { Statement } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { compileItem, compilePage } from '#core/read/sql/compile.ts';
import { adminTarget } from '../catalog.ts';
import type { ReadRequest } from './request.ts';

/** One route of the baseline. */
export interface CapturedRead extends Statement {
  /** Name of the prepared statement, and the first part of the route's path. */
  readonly name: string;
  /** Position of the key among the values; null for a list. */
  readonly keyAt: number | null;
}

/** Marks the key while the statement is compiled. */
const KEY = -987_654_321;

/** Compiles a request as an edge does. */
export function capture(request: ReadRequest, catalog: Catalog, bounds: QueryBounds): CapturedRead {
  const target = adminTarget(catalog, bounds, request.collection);
  const query = parseQuery(request.parameters, bounds);
  const { name, keys } = request;
  if (keys === null) return { name, ...compilePage(target, query), keyAt: null };
  const statement = compileItem(target, query, [String(KEY)]);
  const keyAt = statement.values.findIndex((value) => String(value) === String(KEY));
  assert(keyAt >= 0, 'the key is a parameter of the statement');
  return { name, ...statement, keyAt };
}

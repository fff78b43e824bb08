/**
 * Reads the values of `$CURRENT_USER.path` and similar variables in presets and validations. One
 * statement reads all of them before items are prepared. It may read every field that is not
 * concealed.
 */

import type { Permission } from '#core/access/rights.ts';
import type { Reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { oncePer } from '#core/base/once-per.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { join, render, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { isRecordPath } from '#core/read/plan/caller-record-path.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import { callerRecord } from '#core/read/sql/table-rows.ts';
import type { Action } from './payload.ts';
import type { WriteContext } from './write-context.ts';

/**
 * The value of each path: a single value, a list for a to-many path, or null when there is none.
 */
export type CallerRecords = ReadonlyMap<string, unknown>;

export const NO_RECORDS: CallerRecords = new Map();

/** The texts in a JSON value that name a variable with a path. */
export function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return isRecordPath(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(pathsIn);
}

const pathsNamed = oncePer(({ presets, validation }: Permission) =>
  [presets, validation].flatMap(pathsIn),
);

const pathsOf = oncePer(({ descriptor }: Collection) =>
  descriptor.fields.flatMap(({ row }) => pathsIn(row.validation)),
);

/** The paths whose values are needed to prepare items of a collection. */
function pathsFor({ collection, target }: WriteContext, action: Action): readonly string[] {
  const permissions = target.rights.of(collection.name, action);
  return [...permissions.flatMap(pathsNamed), ...pathsOf(collection)];
}

/** Whether the caller's record must be read from the database before items can be prepared. */
export function needsCallerRecords({ collection, target }: WriteContext, action: Action): boolean {
  const permissions = target.rights.of(collection.name, action);
  return pathsOf(collection).length > 0 || permissions.some((one) => pathsNamed(one).length > 0);
}

/** The reason why a path cannot be resolved for any caller; null when it can. */
export function pathFault(target: ReadTarget, path: string): Reason | null {
  try {
    // A caller that has all four ids: every valid path compiles for it.
    const someone = '00000000-0000-4000-8000-000000000000';
    const ids = { user: someone, role: someone, roles: [someone], policies: [someone] };
    callerRecord({ ...target, caller: { ...target.caller, ...ids } }, path);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return { ...reasonOf(error), sentence: error.message };
    throw error;
  }
}

/**
 * Reads the values of the paths. The result omits a path that can no longer be resolved: no rule
 * that uses it holds, and no preset takes a value from it.
 */
export async function callerRecords(write: WriteContext, action: Action): Promise<CallerRecords> {
  if (!needsCallerRecords(write, action)) return NO_RECORDS;
  const paths = [...new Set(pathsFor(write, action))];
  const compiled = paths.flatMap((path) => {
    try {
      return [{ path, value: callerRecord(write.target, path) }];
    } catch (error) {
      if (error instanceof ServiceError) return [];
      throw error;
    }
  });
  if (compiled.length === 0) return NO_RECORDS;
  const select = sql`SELECT ${join(compiled.map(({ value }) => sql`(${value})::text`))}`;
  const [row] = await rowsOf<(string | null)[]>(write.client, render(select));
  return new Map(
    compiled.map(({ path }, index) => {
      const text = row?.[index] ?? null;
      return [path, text === null ? null : JSON.parse(text)];
    }),
  );
}

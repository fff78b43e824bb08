/**
 * The values behind `$CURRENT_USER.path` and its like in presets and validations: read before items
 * are prepared, by one statement for all of them, which sees every field that is not concealed.
 */
import type { Permission } from '#core/access/rights.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { join, render, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { isRecordPath } from '#core/query/plan/record.ts';
import type { ReadTarget } from '#core/query/sql/compile.ts';
import { callerRecord } from '#core/query/sql/table-rows.ts';
import type { Action } from './payload.ts';
import type { Write } from './target.ts';

/** What each path leads to: a value, a list where there may be several, null where there is none. */
export type CallerRecords = ReadonlyMap<string, unknown>;

export const NO_RECORDS: CallerRecords = new Map();

/** The texts in a JSON value that name a variable with a path. */
export function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return isRecordPath(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(pathsIn);
}

const known = new WeakMap<Permission | Collection, readonly string[]>();

function remembered(
  of: Permission | Collection,
  values: () => readonly unknown[],
): readonly string[] {
  const found = known.get(of) ?? values().flatMap(pathsIn);
  known.set(of, found);
  return found;
}

function pathsNamed(permission: Permission): readonly string[] {
  return remembered(permission, () => [permission.presets, permission.validation]);
}

function pathsOf(collection: Collection): readonly string[] {
  return remembered(collection, () =>
    collection.descriptor.fields.map(({ row }) => row.validation),
  );
}

/** The paths that items of a collection have to be prepared with. */
function pathsFor({ collection, target }: Write, action: Action): readonly string[] {
  const permissions = target.rights.of(collection.name, action);
  return [...permissions.flatMap(pathsNamed), ...pathsOf(collection)];
}

/** Whether items cannot be prepared before the database has been asked for the caller's record. */
export function needsRecord({ collection, target }: Write, action: Action): boolean {
  const permissions = target.rights.of(collection.name, action);
  return pathsOf(collection).length > 0 || permissions.some((one) => pathsNamed(one).length > 0);
}

/** Why a path cannot be resolved for anybody; null when it can. */
export function pathFault(target: ReadTarget, path: string): string | null {
  try {
    // Whoever has all of them is somebody for whom every path is compiled.
    const someone = '00000000-0000-4000-8000-000000000000';
    const ids = { user: someone, role: someone, roles: [someone], policies: [someone] };
    callerRecord({ ...target, caller: { ...target.caller, ...ids } }, path);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/**
 * Reads what the paths lead to. One that leads nowhere any more is absent, so that no rule holds for
 * it and no preset is made of it.
 */
export async function callerRecords(write: Write, action: Action): Promise<CallerRecords> {
  if (!needsRecord(write, action)) return NO_RECORDS;
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

/** The permissions of policies as they are stored, read and parsed. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { isMembers, type Members } from '#core/query/parse/list.ts';
import type { Filter } from '#core/query/query.ts';
import { systemTable } from '#core/system/table.ts';
import { ACTIONS, type PermissionRow } from './right.ts';

/** The rows of one policy as texts, and a text that is equal for equal rows only. */
export interface StoredPermissions {
  readonly rows: readonly StoredRow[];
  readonly digest: string;
}

/** What a row says; what is JSON comes as text. */
export interface StoredPermission {
  readonly collection: string;
  readonly action: string;
  readonly permissions: string | null;
  readonly validation: string | null;
  readonly presets: string | null;
  readonly fields: string | null;
}

/** A row as it is stored. */
export interface StoredRow extends StoredPermission {
  readonly id: number;
  readonly policy: string;
}

const json = v.pipe(
  v.nullable(v.string()),
  v.transform((text): unknown => (text === null ? null : JSON.parse(text))),
);

function filter(place: string) {
  return v.pipe(
    json,
    v.transform((value): Filter | null => {
      if (value === null) return null;
      const parsed = parseFilter(value, place);
      return parsed.kind === 'group' && parsed.filters.length === 0 ? null : parsed;
    }),
  );
}

/** A list would pass for a record by itself. */
const members = v.pipe(v.custom<Members>(isMembers), v.record(v.string(), v.unknown()));

/** `*` anywhere in the list stands for every field; no list at all for none. */
const fields = v.pipe(
  v.nullable(v.string()),
  v.transform((text): ReadonlySet<string> | null => {
    const names = (text ?? '').split(',').map((name) => name.trim());
    return names.includes('*') ? null : new Set(names.filter((name) => name !== ''));
  }),
);

const rowSchema = v.pipe(
  v.object({
    collection: v.string(),
    action: v.picklist(ACTIONS),
    permissions: filter('permissions'),
    validation: filter('validation'),
    presets: v.pipe(json, v.nullable(members)),
    fields,
  }),
  v.transform(
    (row): PermissionRow => ({
      collection: row.collection,
      action: row.action,
      fields: row.fields,
      rule: row.permissions,
      validation: row.validation,
      presets: row.presets ?? {},
    }),
  ),
);

/**
 * Parses a row.
 * @throws when it is none; what cannot be understood must grant nothing
 */
export function parseRow(row: StoredPermission): PermissionRow {
  return v.parse(rowSchema, row);
}

/** Reads the permissions of policies in the order of their ids; a policy without any is left out. */
export async function readPermissions(
  pool: Pool,
  schema: string,
  policies: readonly string[],
): Promise<ReadonlyMap<string, StoredPermissions>> {
  const { rows } = await pool.query<StoredRow>(
    render(sql`
      SELECT id, policy::text, collection, action, permissions::text, validation::text,
        presets::text, fields
      FROM ${systemTable(schema, 'permissions')} WHERE policy = ANY(${policies}::uuid[])
      ORDER BY id`),
  );
  const byPolicy = Map.groupBy(rows, (row) => row.policy);
  return new Map(
    [...byPolicy].map(([policy, found]) => {
      const digest = createHash('sha256').update(JSON.stringify(found)).digest('base64');
      return [policy, { rows: found, digest }];
    }),
  );
}

/** Reads and parses the stored permissions of policies. */
import { createHash } from 'node:crypto';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isUnconditional, parseFilter } from '#core/query/parse/filter.ts';
import { type Filter, NEVER } from '#core/query/query.ts';
import { ACTIONS, type PermissionRow } from './rights.ts';

/** The rows of one policy as texts, with a digest that is equal only for equal rows. */
export interface StoredPermissions {
  readonly rows: readonly StoredRow[];
  readonly digest: string;
}

/** The content of a row; JSON columns are texts. */
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

/** The invalid part of a row. */
export interface RowFault {
  readonly place: 'permissions' | 'validation' | 'presets';
  readonly reason: Reason;
}

export interface ParsedRow {
  readonly row: PermissionRow;
  readonly faults: readonly RowFault[];
}

/** `*` anywhere in the list means every field. Without a list the result is empty. */
function fieldsOf(text: string | null): ReadonlySet<string> | null {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return names.includes('*') ? null : new Set(names.filter((name) => name !== ''));
}

function filterOf(text: string | null, place: string): Filter | null {
  if (text === null) return null;
  const parsed = parseFilter(JSON.parse(text), place);
  return isUnconditional(parsed) ? null : parsed;
}

function presetsOf(text: string | null): JsonObject {
  const value: unknown = text === null ? {} : (JSON.parse(text) ?? {});
  if (!isJsonObject(value)) throw invalidPayload(reason('json_object_body_expected'));
  return value;
}

function faultOf(error: unknown): Reason {
  if (error instanceof ServiceError) return reasonOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return reason('stored_json_invalid', { message });
}

/**
 * Parses a row. An invalid rule matches no item, and an invalid validation accepts no payload.
 * Ignoring either would extend the access that other permissions allow.
 * @returns null for an unknown action, which grants nothing
 */
export function parseRow(stored: StoredPermission): ParsedRow | null {
  const action = ACTIONS.find((known) => known === stored.action);
  if (action === undefined) return null;
  const faults: RowFault[] = [];
  const read = <T>(place: RowFault['place'], parse: () => T, otherwise: T): T => {
    try {
      return parse();
    } catch (error) {
      faults.push({ place, reason: faultOf(error) });
      return otherwise;
    }
  };
  const rule = read('permissions', () => filterOf(stored.permissions, 'permissions'), NEVER);
  const validation = read('validation', () => filterOf(stored.validation, 'validation'), NEVER);
  const presets = read('presets', () => presetsOf(stored.presets), {});
  // Rules do not restrict creates, and missing presets would change their meaning.
  const isBarred = faults.some(({ place }) => place === 'presets' || action === 'create');
  const { collection, fields } = stored;
  return {
    row: {
      collection,
      action,
      fields: fieldsOf(fields),
      rule,
      validation: isBarred ? NEVER : validation,
      presets,
    },
    faults,
  };
}

/**
 * Reads the permissions of policies in the order of their ids. A policy without permissions is
 * missing.
 */
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

/** Reads and writes the rows of `system_fields`. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, join, raw, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { requiredTypeFlag } from '../column-type.ts';
import type { FieldMetaInput } from '../metadata-input.ts';
import type { FieldInput } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import { givenMembers, memberSql } from './metadata-row.ts';
import type { FieldAddress } from './revoke-field-rights.ts';

/** The flags of a comma-separated list. */
export function parseFlags(special: string | null | undefined): string[] {
  return special ? special.split(',') : [];
}

/**
 * PostgreSQL does not hash a default: in a field of hashes it would be a publicly readable secret
 * in clear text.
 * @throws ServiceError INVALID_PAYLOAD
 */
export function refuseClearDefault(field: string, flags: readonly string[], value: unknown): void {
  if (!flags.includes('hash') || value === undefined || value === null) return;
  throw invalidPayload(reason('default_of_hashed_field', { field }), {
    field,
  });
}

/**
 * The row of a new field: the given one, with the flag that the field's type needs. Null when the
 * column is sufficient.
 * @throws ServiceError INVALID_PAYLOAD for a default in clear text
 */
export function newFieldMeta({ field, type, meta, schema }: FieldInput): FieldMetaInput | null {
  const flag = requiredTypeFlag(type);
  const isAlias = type === null || type === 'alias';
  const given = parseFlags(meta?.special);
  const flags = flag === null || given.includes(flag) ? given : [...given, flag];
  refuseClearDefault(field, flags, schema?.default_value);
  if (flags.length > given.length) return { ...meta, special: flags.join(',') };
  return meta ?? (isAlias ? {} : null);
}

/**
 * Inserts the row of a new field. Without a `sort` it comes last in its group.
 * @param sort its position, if the caller has determined it
 */
export async function insertFieldMeta(
  { run, system }: Alteration,
  { collection, field }: FieldAddress,
  meta: FieldMetaInput,
  sort?: number,
): Promise<void> {
  const table = systemTable(system, 'fields');
  const members = givenMembers(meta).filter(([member]) => member !== 'sort');
  const last = sql`(SELECT coalesce(max(sort), 0) + 1 FROM ${table} WHERE collection = ${collection}
    AND "group" IS NOT DISTINCT FROM ${meta.group ?? null}::text)`;
  const place = meta.sort ?? sort;
  const columns = ['collection', 'field', 'sort', ...members.map(([member]) => member)];
  const values = members.map(([member, value]) => memberSql('fields', member, value));
  await run(sql`
    INSERT INTO ${table} (${join(columns.map((column) => identifier(column)))})
    VALUES (${join([
      ...[sql`${collection}`, sql`${field}`, place === undefined ? last : sql`${place}::int`],
      ...values,
    ])})`);
}

/** Changes the given members; a field without a row gets one. */
export async function writeFieldMeta(
  { run, system }: Alteration,
  { collection, field }: FieldAddress,
  meta: FieldMetaInput,
): Promise<void> {
  const members = givenMembers(meta);
  const columns = ['collection', 'field', ...members.map(([member]) => member)];
  const values = [sql`${collection}`, sql`${field}`];
  for (const [member, value] of members) values.push(memberSql('fields', member, value));
  const changes = members.map(
    ([member]) => sql`${identifier(member)} = ${identifier('excluded', member)}`,
  );
  await run(sql`
    INSERT INTO ${systemTable(system, 'fields')}
      (${join(columns.map((column) => identifier(column)))}) VALUES (${join(values)})
    ON CONFLICT (collection, field)
      ${changes.length === 0 ? raw('DO NOTHING') : sql`DO UPDATE SET ${join(changes)}`}`);
}

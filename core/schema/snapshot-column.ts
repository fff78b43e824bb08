/**
 * Columns of exactly the type in a snapshot, even one that no field type produces. Examples are an
 * enumeration, an array, and text of a fixed length.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, literal, raw, type Sql, sql } from '#core/database/sql.ts';
import { columnType, isColumnType, maxLengthOf } from './column-type.ts';
import { defaultExpression } from './default-sql.ts';
import { fieldSchemaInput } from './schema-change.ts';
import type { Alteration } from './schema-change-context.ts';
import { schemaFailure } from './schema-failure.ts';
import type { SnapshotField } from './snapshot.ts';

/** Types that can have auto increment. */
const SERIAL: Readonly<Record<string, string>> = {
  smallint: 'smallserial',
  integer: 'serial',
  bigint: 'bigserial',
};

const MEMBERS = [
  'default_value',
  'max_length',
  'numeric_precision',
  'numeric_scale',
  'is_nullable',
  'is_unique',
  'is_indexed',
  'is_primary_key',
  'has_auto_increment',
  'comment',
  'data_type',
];

export type ColumnSchema = v.InferOutput<typeof fieldSchemaInput>;

/**
 * The members of a snapshot's column from which a column is created.
 * @throws ServiceError INVALID_PAYLOAD for an invalid column
 */
export function columnSchema({ collection, field, schema }: SnapshotField): ColumnSchema {
  const members = Object.entries(schema ?? {}).filter(([name]) => MEMBERS.includes(name));
  const parsed = v.safeParse(fieldSchemaInput, Object.fromEntries(members));
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]) ?? 'schema';
  throw invalidPayload(reason('column_member_invalid', { path, collection, field }));
}

interface FoundType {
  /** The notation of PostgreSQL. */
  readonly text: string;
  readonly name: string;
}

/** The length, or precision and scale, in parentheses. */
function measures(name: string, schema: ColumnSchema): string {
  const { max_length: length, numeric_precision: precision, numeric_scale: scale } = schema;
  if (['varchar', 'bpchar', 'bit', 'varbit'].includes(name)) return length ? `(${length})` : '';
  return name === 'numeric' && precision ? `(${precision},${scale ?? 0})` : '';
}

/**
 * The type of a column in DDL.
 * @throws ServiceError UNPROCESSABLE_ENTITY when the type does not exist in the database,
 *   INVALID_PAYLOAD when the field has no type
 */
export async function exactType(
  alteration: Alteration,
  { collection, field, type }: SnapshotField,
  schema: ColumnSchema,
): Promise<Sql> {
  const wanted = schema.data_type ?? null;
  if (wanted === null || type.startsWith('geometry')) {
    if (isColumnType(type)) return columnType(alteration, type, schema);
    throw invalidPayload(reason('column_without_type', { collection, field }));
  }
  const [found] = await alteration
    .ask<FoundType>(
      sql`SELECT format_type(t.oid, NULL) AS text, t.typname AS name FROM pg_type t
        WHERE t.oid = to_regtype(${wanted}) AND t.typtype <> 'p'`,
    )
    // A text that is not a type is a syntax error.
    .catch((error: unknown) => {
      throw schemaFailure(error);
    });
  if (found === undefined) {
    const why = reason('column_type_unknown', { type: wanted, collection, field });
    throw new ServiceError('UNPROCESSABLE_ENTITY', { collection, field, reason: why });
  }
  const size = measures(found.name, schema);
  // Without a length these two types have length one.
  if (found.name === 'bpchar' && size === '') return raw('bpchar');
  return raw(found.name === 'bit' ? `bit${size}` : found.text + size);
}

function exactDefault({ type }: SnapshotField, schema: ColumnSchema): Sql | null {
  const value = schema.default_value;
  // The field of an array is JSON, but its default is PostgreSQL's text.
  if (typeof value === 'string' && schema.data_type?.endsWith('[]')) return literal(value);
  if (!isColumnType(type)) return null;
  return defaultExpression(type, value, maxLengthOf(type, schema));
}

/**
 * The definition of a column for CREATE TABLE and ADD COLUMN.
 * @throws ServiceError as {@link exactType}
 */
export async function exactColumn(alteration: Alteration, field: SnapshotField): Promise<Sql> {
  const schema = columnSchema(field);
  const name = identifier(field.field);
  if (schema.has_auto_increment) {
    const serial = SERIAL[schema.data_type ?? (field.type === 'bigInteger' ? 'bigint' : 'integer')];
    if (serial === undefined) {
      throw invalidPayload(
        reason('column_auto_increment_misfits_type', {
          collection: field.collection,
          field: field.field,
        }),
      );
    }
    return sql`${name} ${raw(serial)}`;
  }
  const type = await exactType(alteration, field, schema);
  const value = exactDefault(field, schema);
  const required = schema.is_nullable === false || schema.is_primary_key === true;
  return sql`${name} ${type}${value === null ? raw('') : sql` DEFAULT ${value}`}${raw(
    required ? ' NOT NULL' : '',
  )}`;
}

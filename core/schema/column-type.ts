/** The types of fields as columns: the PostgreSQL type for each, and its notation. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, literal, raw, type Sql, sql } from '#core/database/sql.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';
import { defaultExpression } from './default-sql.ts';
import {
  ALIAS_TYPES,
  COLUMN_TYPES,
  type ColumnTypeName,
  type FieldInput,
  type FieldSchemaInput,
} from './schema-change.ts';
import type { Alteration } from './schema-change-context.ts';

/** Maximum length of `varchar(n)` (PostgreSQL manual, 8.3). */
const LENGTH_MAX = 10_485_760;
const LENGTH_USUAL = 255;
const PRECISION_MAX = 1_000;
const PRECISION_USUAL = 10;
const SCALE_USUAL = 5;

const PLAIN: Readonly<Partial<Record<ColumnTypeName, string>>> = {
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  bigInteger: 'bigint',
  float: 'double precision',
  date: 'date',
  time: 'time without time zone',
  dateTime: 'timestamp without time zone',
  timestamp: 'timestamp with time zone',
  json: 'json',
  csv: 'text',
  uuid: 'uuid',
  hash: 'character varying(255)',
  binary: 'bytea',
};

/** Other types that a field may have when its `data_type` requests them. */
const OTHERS: Readonly<Partial<Record<ColumnTypeName, readonly string[]>>> = {
  integer: ['smallint'],
  float: ['real'],
  json: ['jsonb'],
};

const COLUMN_TYPE_SET: ReadonlySet<string> = new Set(COLUMN_TYPES);
const ALIAS_TYPE_SET: ReadonlySet<string> = new Set(ALIAS_TYPES);

/** Fields of this type have a column. */
export function isColumnType(type: string | null): type is ColumnTypeName {
  return type !== null && COLUMN_TYPE_SET.has(type);
}

/**
 * The flag of `meta.special` that such a column needs, because it would otherwise be read as
 * another type; null when it needs no flag.
 */
export function requiredTypeFlag(type: string | null): string | null {
  if (type === 'csv') return 'cast-csv';
  if (type === 'hash') return 'hash';
  if (type?.startsWith('geometry.')) return type;
  // An alias with its kind.
  return type !== null && type !== 'alias' && ALIAS_TYPE_SET.has(type) ? type : null;
}

/** The flags that determine a field's type, regardless of its column's type. */
export function isTypeFlag(flag: string): boolean {
  const known = ['cast-json', 'json', 'cast-csv', 'csv', 'hash', 'cast-timestamp', 'cast-datetime'];
  return known.includes(flag) || flag === 'cast-boolean' || flag.startsWith('geometry.');
}

/** Maximum characters of a column of the type; null for no limit. */
export function maxLengthOf(type: ColumnTypeName, schema: FieldSchemaInput | null): number | null {
  if (type === 'hash') return LENGTH_USUAL;
  return type === 'string' ? (schema?.max_length ?? LENGTH_USUAL) : null;
}

function varying(schema: FieldSchemaInput | null): Sql {
  const length = schema?.max_length ?? LENGTH_USUAL;
  if (length < 1 || length > LENGTH_MAX) {
    throw invalidPayload(reason('max_length_out_of_range', { limit: LENGTH_MAX }));
  }
  return raw(`character varying(${length})`);
}

function numeric(schema: FieldSchemaInput | null): Sql {
  const isFree = schema?.data_type === 'numeric' && schema.numeric_precision == null;
  if (isFree && schema.numeric_scale == null) return raw('numeric');
  const precision = schema?.numeric_precision ?? PRECISION_USUAL;
  const scale = schema?.numeric_scale ?? Math.min(SCALE_USUAL, precision);
  if (precision < 1 || precision > PRECISION_MAX || scale > precision) {
    throw invalidPayload(reason('numeric_precision_out_of_range', { limit: PRECISION_MAX }));
  }
  return raw(`numeric(${precision},${scale})`);
}

async function geometry(alteration: Alteration, type: ColumnTypeName): Promise<Sql> {
  const [found] = await alteration.ask<{ schema: string }>(sql`
    SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'postgis'`);
  if (found === undefined) {
    throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: reason('postgis_missing') });
  }
  const [, shape = 'Geometry'] = type.split('.');
  return sql`${identifier(found.schema, 'geometry')}(${raw(shape)}, 4326)`;
}

/** A type that is not predefined: PostgreSQL parses the name, and the result is used. */
async function foreign(alteration: Alteration, name: string | null | undefined): Promise<Sql> {
  if (!name) throw invalidPayload(reason('data_type_missing'));
  const [found] = await alteration.ask<{ type: string | null }>(sql`
    SELECT format_type(t.oid, NULL) AS type FROM pg_type t
    JOIN pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE t.typtype IN ('b', 'd', 'e', 'r', 'm', 'c') AND coalesce(c.relkind, 'c') = 'c'
      AND ${name} IN (format_type(t.oid, NULL),
      n.nspname || '.' || t.typname)
    ORDER BY n.nspname = 'pg_catalog' DESC LIMIT 1`);
  if (!found?.type) throw invalidPayload(reason('data_type_missing'));
  return raw(found.type);
}

/**
 * The type of a column in DDL.
 * @throws INVALID_PAYLOAD for a length or precision that the type does not have
 * @throws UNPROCESSABLE_ENTITY when the database does not have the type
 */
export async function columnType(
  alteration: Alteration,
  type: ColumnTypeName,
  schema: FieldSchemaInput | null,
): Promise<Sql> {
  if (type === 'string') return varying(schema);
  if (type === 'decimal') return numeric(schema);
  if (type.startsWith('geometry')) return await geometry(alteration, type);
  const wanted = schema?.data_type ?? null;
  if (wanted !== null && OTHERS[type]?.includes(wanted)) return raw(wanted);
  const plain = PLAIN[type];
  return plain === undefined ? await foreign(alteration, wanted) : raw(plain);
}

function serial(type: ColumnTypeName): Sql {
  if (type === 'integer') return raw('serial');
  if (type === 'bigInteger') return raw('bigserial');
  throw invalidPayload(reason('auto_increment_misfits_type'));
}

/**
 * The definition of a column for CREATE TABLE and ADD COLUMN: name, type, default, NOT NULL. Its
 * key, indexes and comment are separate statements.
 * @throws as {@link columnType}; INVALID_PAYLOAD also for a field without a column
 */
export async function columnDefinition(
  alteration: Alteration,
  { field, type, schema }: Pick<FieldInput, 'field' | 'type' | 'schema'>,
): Promise<Sql> {
  if (!isColumnType(type))
    throw invalidPayload(reason('field_without_column', { field }), { field });
  const name = identifier(field);
  // A serial type has its own default, so a copied one is ignored.
  if (schema?.has_auto_increment) return sql`${name} ${serial(type)}`;
  const value = defaultExpression(type, schema?.default_value, maxLengthOf(type, schema));
  const required = schema?.is_nullable === false || schema?.is_primary_key === true;
  return sql`${name} ${await columnType(alteration, type, schema)}${
    value === null ? raw('') : sql` DEFAULT ${value}`
  }${raw(required ? ' NOT NULL' : '')}`;
}

/** COMMENT ON COLUMN; null removes the comment. */
export function commentOn(
  table: { readonly schema: string; readonly name: string },
  column: string,
  comment: string | null,
): Sql {
  const place = identifier(table.schema, table.name, column);
  return sql`COMMENT ON COLUMN ${place} IS ${comment === null ? raw('NULL') : literal(comment)}`;
}

/** The type of a field with a column, when columns can be created with it. */
export function columnTypeName(type: FieldType): ColumnTypeName {
  return isColumnType(type) ? type : 'unknown';
}

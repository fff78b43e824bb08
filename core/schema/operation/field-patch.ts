/**
 * Computes the changes of a field's patch: the differences between the patch and the field. A field
 * that is sent back unchanged changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Collection, ColumnField, Field } from '#core/model/catalog/catalog.ts';
import { fieldType } from '#core/model/catalog/column-typing.ts';
import type {
  ColumnDescriptor,
  IndexDescriptor,
  TableDescriptor,
} from '#core/model/catalog/descriptor.ts';
import {
  columnType,
  columnTypeName,
  isColumnType,
  isTypeFlag,
  maxLengthOf,
  requiredTypeFlag,
} from '../column-type.ts';
import type { FieldMetaInput } from '../metadata-input.ts';
import { defaultValue } from '../read-default.ts';
import type { ColumnTypeName, FieldPatch, FieldSchemaInput } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import type { TargetType } from '../type-conversion.ts';
import { parseFlags, refuseClearDefault } from './field-meta.ts';
import { requireTable } from './find-target.ts';

/** The changes of a column; null or missing for unchanged properties. */
export interface ColumnPlan {
  readonly field: ColumnField;
  readonly table: TableDescriptor;
  readonly type: TargetType | null;
  readonly default: { readonly value: unknown } | null;
  readonly nullable: boolean | null;
  readonly unique: boolean | null;
  readonly indexed: boolean | null;
  readonly comment: { readonly text: string | null } | null;
}

export interface FieldPlan {
  readonly name: string;
  readonly column: ColumnPlan | null;
  readonly meta: FieldMetaInput | null;
}

/** The PostgreSQL types that a field of each type can retain. */
const SERVED_BY: Readonly<Partial<Record<ColumnTypeName, readonly string[]>>> = {
  string: ['varchar', 'bpchar', 'char', 'name'],
  text: ['text', 'citext'],
  csv: ['text', 'varchar', 'citext'],
  hash: ['varchar', 'text'],
  json: ['json', 'jsonb'],
  integer: ['int4', 'int2'],
  bigInteger: ['int8'],
  float: ['float4', 'float8'],
  decimal: ['numeric'],
  boolean: ['bool'],
  date: ['date'],
  time: ['time'],
  dateTime: ['timestamp'],
  timestamp: ['timestamptz'],
  uuid: ['uuid'],
  binary: ['bytea'],
};

/** Indexes on exactly this column. */
export function indexesOn(table: TableDescriptor, column: string): IndexDescriptor[] {
  return table.indexes.filter(
    ({ columns, partial }) => columns.length === 1 && columns[0] === column && !partial,
  );
}

function hasIndex(table: TableDescriptor, column: string, unique: boolean): boolean {
  return indexesOn(table, column).some((index) => index.valid && index.unique === unique);
}

/** The flags of the field after the patch; null when they do not change. */
function flagsAfter(field: Field, patch: FieldPatch): readonly string[] | null {
  const given = patch.meta?.special;
  const { type } = patch;
  const changes = isColumnType(type ?? null) && type !== field.type;
  if (given === undefined && !changes) return null;
  const before =
    given === undefined ? field.special.filter(keeps(type ?? null)) : parseFlags(given);
  const flag = changes ? requiredTypeFlag(type ?? null) : null;
  return flag === null || before.includes(flag) ? before : [...before, flag];
}

/** Flags that do not change the type of the field. */
function keeps(type: string | null) {
  return (flag: string) =>
    !isTypeFlag(flag) && (type === 'uuid' || !['uuid', 'file'].includes(flag));
}

/** Length, precision and scale in the patch that differ from the column's. */
function remeasured(column: ColumnDescriptor, schema: FieldSchemaInput): FieldSchemaInput | null {
  const { typeName, maxLength, numericPrecision, numericScale } = column;
  if (typeName === 'varchar' || typeName === 'bpchar') {
    const length = schema.max_length ?? null;
    return length === null || length === maxLength ? null : { max_length: length };
  }
  if (typeName !== 'numeric') return null;
  const precision = schema.numeric_precision ?? numericPrecision;
  const scale = schema.numeric_scale ?? numericScale;
  if (precision === numericPrecision && scale === numericScale) return null;
  return { numeric_precision: precision, numeric_scale: scale };
}

async function target(
  alteration: Alteration,
  type: ColumnTypeName,
  schema: FieldSchemaInput | null,
): Promise<TargetType> {
  if (type === 'unknown') throw invalidPayload(reason('type_unknown_not_settable'));
  const decimal = type === 'decimal';
  const precision = decimal ? (schema?.numeric_precision ?? 10) : null;
  const scale = decimal ? (schema?.numeric_scale ?? Math.min(5, precision ?? 5)) : null;
  const length = maxLengthOf(type, schema);
  return { type, sql: await columnType(alteration, type, schema), length, precision, scale };
}

/** The new type of the column; null when it remains. */
async function typeAfter(
  alteration: Alteration,
  field: ColumnField,
  patch: FieldPatch,
): Promise<TargetType | null> {
  const { column, special } = field;
  const schema = patch.schema ?? null;
  const wanted = patch.type ?? null;
  if (isColumnType(wanted) && wanted !== field.type) {
    const flags = flagsAfter(field, patch) ?? special;
    const own = fieldType(column, []);
    const served = SERVED_BY[wanted]?.includes(column.typeName) && column.typeKind === 'b';
    // Flags in the same patch may give the unchanged column the new type.
    const chosen = patch.meta?.special !== undefined && (own === 'string' || own === 'text');
    if ((served || chosen) && fieldType(column, flags) === wanted) {
      return remeasure(alteration, column, schema);
    }
    return await target(alteration, wanted, schema);
  }
  return remeasure(alteration, column, schema);
}

async function remeasure(
  alteration: Alteration,
  column: ColumnDescriptor,
  schema: FieldSchemaInput | null,
): Promise<TargetType | null> {
  const measures = schema === null ? null : remeasured(column, schema);
  if (measures === null) return null;
  return await target(alteration, columnTypeName(fieldType(column, [])), measures);
}

function refuseIdentity(
  { name, primaryKey }: Collection,
  { column, name: field }: ColumnField,
  schema: FieldSchemaInput,
): void {
  const isKey = primaryKey.some((key) => key.name === field);
  const counts = column.identity !== null || column.sequence !== null;
  if (schema.is_primary_key !== undefined && schema.is_primary_key !== isKey) {
    throw invalidPayload(reason('primary_key_unchangeable', { name }), { field });
  }
  if (schema.has_auto_increment !== undefined && schema.has_auto_increment !== counts) {
    throw invalidPayload(reason('auto_increment_unchangeable', { field }), { field });
  }
  if (isKey && schema.is_nullable === true) {
    throw invalidPayload(reason('primary_key_not_nullable', { field, name }), { field });
  }
}

function defaultAfter({ column, type, name }: ColumnField, schema: FieldSchemaInput) {
  const value = schema.default_value;
  if (value === undefined || isDeepStrictEqual(value, defaultValue(column, type))) return null;
  const counts = column.identity !== null || column.sequence !== null;
  if (counts && value === null) return null;
  if (counts || column.generatedExpression !== null) {
    throw invalidPayload(reason('value_made_by_database', { name }), { field: name });
  }
  return { value };
}

function changed(wanted: boolean | undefined, is: boolean): boolean | null {
  return wanted === undefined || wanted === is ? null : wanted;
}

async function planColumn(
  alteration: Alteration,
  collection: Collection,
  field: ColumnField,
  patch: FieldPatch,
): Promise<ColumnPlan | null> {
  const schema = patch.schema ?? {};
  refuseIdentity(collection, field, schema);
  const { column, name } = field;
  const { comment } = schema;
  const { table } = collection;
  if (table === null) return null;
  const isKey = table.primaryKey?.length === 1 && table.primaryKey[0] === name;
  const plan = {
    field,
    table,
    type: await typeAfter(alteration, field, patch),
    default: defaultAfter(field, schema),
    nullable: changed(schema.is_nullable, column.nullable),
    unique: isKey ? null : changed(schema.is_unique, hasIndex(table, name, true)),
    indexed: isKey ? null : changed(schema.is_indexed, hasIndex(table, name, false)),
    comment:
      comment === undefined || (comment || null) === column.comment
        ? null
        : { text: comment || null },
  };
  const { type, nullable, unique, indexed } = plan;
  const nothing = [type, plan.default, nullable, unique, indexed, plan.comment].every(
    (part) => part === null,
  );
  if (nothing) return null;
  return { ...plan, table: requireTable(collection) };
}

/**
 * @throws INVALID_PAYLOAD for a patch that turns an alias into a column, or a column into an alias
 */
function refuseOtherKind(field: Field, { type, schema }: FieldPatch): void {
  const { name } = field;
  if (type === undefined) return;
  const isColumn = field.column !== null;
  if (isColumn === isColumnType(type)) {
    if (isColumn || Object.keys(schema ?? {}).length === 0) return;
    throw invalidPayload(reason('alias_without_column', { name }), { field: name });
  }
  const why = isColumn ? reason('column_stays', { name }) : reason('alias_stays', { name });
  throw invalidPayload(why, { field: name });
}

/**
 * The changes of a field.
 * @throws INVALID_PAYLOAD for impossible changes of this kind of field
 */
export async function planFieldPatch(
  alteration: Alteration,
  collection: Collection,
  field: Field,
  patch: FieldPatch,
): Promise<FieldPlan> {
  refuseOtherKind(field, patch);
  const { column } = field;
  const flags = flagsAfter(field, patch);
  const special = flags === null ? {} : { special: flags.length === 0 ? null : flags.join(',') };
  const given = patch.schema?.default_value;
  if (flags !== null || given !== undefined) {
    const value = given === undefined ? column?.defaultExpression : given;
    refuseClearDefault(field.name, flags ?? field.special, value);
  }
  const same = flags === null || isDeepStrictEqual([...flags], [...field.special]);
  const meta = !patch.meta && same ? null : { ...patch.meta, ...special };
  return {
    name: field.name,
    column:
      column === null
        ? null
        : await planColumn(alteration, collection, { ...field, column }, patch),
    meta,
  };
}

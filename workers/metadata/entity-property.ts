/**
 * The MikroORM properties of a column: the type that converts its values, and its declaration in
 * the database. Values are those of JSON, except dates and bytes. `bigint` and `numeric` are
 * strings, because neither fits into a JavaScript number.
 */
import { BigIntType, type EntitySchemaProperty } from '@mikro-orm/core';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';

/** An item as the EntityManager returns it: values by property name. */
export type Row = Record<string, unknown>;

export type Property = EntitySchemaProperty<NonNullable<unknown>, Row>;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['numeric', 'decimal'],
  ['float4', 'float'],
  ['float8', 'double'],
  ['varchar', 'string'],
  ['bpchar', 'string'],
  ['text', 'text'],
  ['citext', 'text'],
  ['uuid', 'uuid'],
  ['json', 'json'],
  ['jsonb', 'json'],
  ['bytea', 'blob'],
  ['date', 'date'],
  ['time', 'time'],
  ['timestamp', 'datetime'],
  ['timestamptz', 'datetime'],
]);

function type({
  elementType,
  typeKind,
  typeName,
}: ColumnDescriptor): string | BigIntType<'string'> {
  if (elementType !== null) return 'array';
  if (typeKind === 'e') return 'string';
  if (typeName === 'int8') return new BigIntType('string');
  return TYPES.get(typeName) ?? 'unknown';
}

/** The declaration of a column, the same for a plain value and for a reference. */
export function declaration(column: ColumnDescriptor) {
  const { name, typeText, nullable, comment, defaultExpression, generatedExpression } = column;
  const fromSequence = column.identity !== null || column.sequence !== null;
  return {
    fieldName: name,
    columnType: typeText,
    nullable,
    autoincrement: fromSequence,
    ...(comment === null ? {} : { comment }),
    ...(defaultExpression === null || fromSequence ? {} : { defaultRaw: defaultExpression }),
    ...(generatedExpression === null
      ? {}
      : { generated: `(${generatedExpression}) stored`, nullable: true }),
  };
}

/** A column that is not a reference. */
export function scalar(column: ColumnDescriptor, primary: boolean): Property {
  return { type: type(column), primary, ...declaration(column) };
}

/** Descriptors of columns and tables for tests without a database. */
import type { ColumnDescriptor, TableDescriptor } from '#core/model/catalog/descriptor.ts';

/** A nullable column of a built-in type; types that begin with `_` are arrays. */
export function columnDescriptor(
  name: string,
  typeName: string,
  more: Partial<ColumnDescriptor> = {},
): ColumnDescriptor {
  return {
    name,
    position: 1,
    typeName,
    typeSchema: 'pg_catalog',
    typeText: typeName,
    typeKind: 'b',
    elementType: typeName.startsWith('_') ? typeName.slice(1) : null,
    domain: null,
    enumValues: null,
    nullable: true,
    defaultExpression: null,
    generatedExpression: null,
    identity: null,
    sequence: null,
    maxLength: null,
    numericPrecision: null,
    numericScale: null,
    comment: null,
    ...more,
  };
}

/** A table in the schema `public` with columns by their types; without keys and indexes. */
export function tableDescriptor(
  name: string,
  columns: Readonly<Record<string, string>>,
  more: Partial<TableDescriptor> = {},
): TableDescriptor {
  return {
    schema: 'public',
    name,
    kind: 'table',
    comment: null,
    columns: Object.entries(columns).map(([column, type], index) =>
      columnDescriptor(column, type, { position: index + 1 }),
    ),
    primaryKey: null,
    uniques: [],
    indexes: [],
    checks: [],
    foreignKeys: [],
    userTriggers: false,
    estimatedRows: -1,
    ...more,
  };
}

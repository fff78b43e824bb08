/** The collection for lists of jobs: its fields for filters and sorting, and its catalog. */
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { columnTyping } from '#core/model/catalog/column-typing.ts';
import type { ColumnDescriptor, TableDescriptor } from '#core/model/catalog/descriptor.ts';

/** The table of jobs among those of its schema. */
export const JOBS = 'system_jobs';

/** The fields for filter and sort: the column of each, and its type. */
export const FIELDS = {
  id: ['id', 'uuid'],
  kind: ['kind', 'varchar'],
  queue: ['queue', 'varchar'],
  state: ['state', 'varchar'],
  user: ['user', 'uuid'],
  collection: ['collection', 'varchar'],
  file_name: ['file_name', 'varchar'],
  file_size: ['file_size', 'int8'],
  file_format: ['file_format', 'varchar'],
  created_on: ['created_on', 'timestamptz'],
  started_on: ['started_on', 'timestamptz'],
  finished_on: ['finished_on', 'timestamptz'],
  attempts: ['attempt', 'int4'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

function column([name, typeName]: readonly [string, string]): ColumnDescriptor {
  return {
    ...{ name, typeName, position: 0, typeSchema: 'pg_catalog', typeText: typeName },
    ...{ typeKind: 'b', elementType: null, domain: null, enumValues: null, nullable: true },
    ...{ defaultExpression: null, generatedExpression: null, identity: null, sequence: null },
    ...{ maxLength: null, numericPrecision: null, numericScale: null, comment: null },
  };
}

function field(name: string, shape: readonly [string, string]): ColumnField {
  const described = column(shape);
  return { name, column: described, ...columnTyping(described, []), special: [], meta: null };
}

/** A catalog that contains only the table of jobs, which no other route serves. */
export function catalogOf(schema: string): Catalog {
  const fields = Object.entries(FIELDS).map(([name, shape]) => field(name, shape));
  const table: TableDescriptor = {
    ...{ schema, name: JOBS, comment: null, primaryKey: ['id'] },
    kind: 'table',
    ...{ columns: fields.map((one) => one.column), uniques: [], indexes: [], checks: [] },
    ...{ foreignKeys: [], userTriggers: false, estimatedRows: -1 },
  };
  const collection: Collection = {
    ...{ name: JOBS, table, meta: null, system: true, singleton: false },
    fields: new Map(fields.map((one) => [one.name, one])),
    primaryKey: fields.slice(0, 1),
    descriptor: { name: JOBS, table, meta: null, fields: [], relations: [] },
  };
  const collections = new Map([[JOBS, collection]]);
  return { version: 0, collections, relations: new Map(), leftOut: [], warnings: [] };
}

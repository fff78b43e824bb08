/** The target table of a file: whether it accepts imports, and the facts that the import needs. */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, quote, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import type { Relations } from '#core/model/catalog/relation.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import type { GeneratedValues } from './generated-values.ts';
import type { ImportConnection } from './import-connection.ts';
import { type KeepOptions, KeptChanges } from './kept-changes.ts';
import { matchKey } from './match-key.ts';
import type { Reference } from './reference.ts';

/** A collection whose rows can be imported. */
export interface ImportableCollection extends Collection {
  readonly table: TableDescriptor;
  readonly relations: Relations;
  /** The fields whose values in the file find items by another field than the key. */
  readonly references?: ReadonlyMap<string, Reference>;
  /** The values of fields that the file does not have. */
  readonly constants?: Readonly<Record<string, unknown>>;
}

function illegal(collection: string, why: Reason): ServiceError {
  return new ServiceError('UNPROCESSABLE_ENTITY', { collection, reason: why });
}

/**
 * The collection that a file may be imported into, with the fields that it may fill.
 * @param only the names of those fields; by default all
 * @throws {ServiceError} FORBIDDEN when it does not exist or is Sluice's own, UNPROCESSABLE_ENTITY
 * when its rows cannot be written or have no key
 */
export function importable(
  catalog: Catalog,
  name: string,
  only?: ReadonlySet<string>,
): ImportableCollection {
  const collection = catalog.collections.get(name);
  if (collection === undefined || collection.system || name.startsWith(SYSTEM_PREFIX)) {
    throw forbidden();
  }
  const { table } = collection;
  if (table === null || (table.kind !== 'table' && table.kind !== 'partitioned')) {
    throw illegal(name, reason('import_into_tables_only'));
  }
  if (collection.primaryKey.length === 0) {
    throw illegal(name, reason('import_table_without_key'));
  }
  const relations = catalog.relations.get(name) ?? new Map();
  if (only === undefined) return { ...collection, table, relations };
  const fields = new Map([...collection.fields].filter(([field]) => only.has(field)));
  return { ...collection, table, relations, fields };
}

/** A check constraint: its condition and the columns it reads. */
export interface CheckConstraint {
  readonly name: string;
  readonly condition: Sql;
  readonly columns: readonly string[];
}

/** The table with its current properties in the database. */
export interface ImportTarget {
  readonly collection: ImportableCollection;
  readonly table: TableDescriptor;
  readonly name: Sql;
  readonly mode: Exclude<NonNullable<ImportParameters['mode']>, 'mirror'>;
  /** Rows that the file lacks are deleted, so each row of it has a key. */
  readonly mirrors: boolean;
  /** The unique key that matches rows with items: the primary key, or another one. */
  readonly key: readonly ColumnField[];
  /** Columns of the primary key that is not `key`: they fill new items, and are never changed. */
  readonly fixed: ReadonlySet<string>;
  /** Defaults as expressions, identity included, by column. */
  readonly defaults: ReadonlyMap<string, Sql>;
  /** NOT NULL columns. */
  readonly required: ReadonlySet<string>;
  /** Conditions of generated columns, by column. */
  readonly generated: ReadonlyMap<string, Sql>;
  /** Types of staging columns that must differ: domains that reject null. */
  readonly looseTypes: ReadonlyMap<string, Sql>;
  /** Lossless cast types for texts; not for domains. */
  readonly casts: ReadonlyMap<string, Sql>;
  /** Its pages, and its estimated number of rows. */
  readonly pages: number;
  readonly estimate: number;
  readonly checks: readonly CheckConstraint[];
  /** The values that presets and special flags generate. */
  readonly made: GeneratedValues;
  /** COPY supports the option DEFAULT (PostgreSQL 16). */
  readonly copyDefault: boolean;
  /** MERGE returns the action for each row (PostgreSQL 17). */
  readonly mergeReturning: boolean;
  /** Keeps the changes, so that they can be undone; null when they are not kept. */
  readonly kept: KeptChanges | null;
}

const facts = v.object({
  columns: v.array(
    v.object({
      name: v.string(),
      expression: v.nullable(v.string()),
      generated: v.boolean(),
      required: v.boolean(),
      loose: v.nullable(v.string()),
      cast: v.nullable(v.string()),
      sequence: v.nullable(v.string()),
    }),
  ),
  checks: v.array(
    v.object({ name: v.string(), condition: v.string(), columns: v.array(v.string()) }),
  ),
  version: v.number(),
  pages: v.number(),
  estimate: v.number(),
});

function factsOf(table: string): Sql {
  return sql`SELECT
    coalesce((SELECT json_agg(json_build_object(
        'name', a.attname,
        'expression', coalesce(pg_get_expr(d.adbin, d.adrelid),
          pg_get_expr(y.typdefaultbin, 'pg_type'::regclass)),
        'generated', a.attgenerated <> '',
        'required', a.attnotnull OR (y.typtype = 'd' AND y.typnotnull),
        'loose', CASE WHEN y.typtype = 'd' AND y.typnotnull
          THEN format_type(y.typbasetype, y.typtypmod) END,
        -- A cast to the length of a text cuts it, an assignment refuses it.
        'cast', CASE WHEN y.typtype <> 'd' THEN format_type(a.atttypid,
          CASE WHEN y.typcategory IN ('A', 'S', 'V') THEN -1 ELSE a.atttypmod END) END,
        'sequence', CASE WHEN a.attidentity <> '' THEN
          pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) END))
      FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = ${table}::regclass AND a.attnum > 0 AND NOT a.attisdropped), '[]')
      AS columns,
    coalesce((SELECT json_agg(json_build_object(
        'name', c.conname,
        'condition', pg_get_expr(c.conbin, c.conrelid),
        'columns', coalesce((SELECT json_agg(a.attname) FROM pg_attribute a
          WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)), '[]')))
      FROM pg_constraint c WHERE c.conrelid = ${table}::regclass AND c.contype = 'c'), '[]')
      AS checks,
    current_setting('server_version_num')::int AS version,
    (pg_relation_size(${table}::regclass) / 8192)::float8 AS pages,
    (SELECT c.reltuples::float8 FROM pg_class c WHERE c.oid = ${table}::regclass) AS estimate`;
}

/**
 * Reads the expressions of a table from the database, with all names qualified, so that they are
 * valid in any statement.
 */
export async function openTarget(
  connection: ImportConnection,
  collection: ImportableCollection,
  {
    mode = 'upsert',
    match,
    made,
    keep = null,
  }: ImportParameters & Pick<ImportTarget, 'made'> & { readonly keep?: KeepOptions | null },
): Promise<ImportTarget> {
  const { table, primaryKey } = collection;
  const key = match === undefined ? primaryKey : matchKey(collection, match);
  const matched = new Set(key.map(({ name }) => name));
  const [, , told] = await connection.runAll([
    sql`SAVEPOINT facts`,
    sql`SET LOCAL search_path = ''`,
    factsOf(`${quote(table.schema)}.${quote(table.name)}`),
    sql`ROLLBACK TO SAVEPOINT facts`,
  ]);
  const found = v.parse(facts, told?.rows[0]);
  const defaults = new Map<string, Sql>();
  const generated = new Map<string, Sql>();
  for (const { name, expression, generated: computed, sequence } of found.columns) {
    if (sequence !== null) defaults.set(name, sql`nextval(${sequence}::regclass)`);
    else if (expression !== null) (computed ? generated : defaults).set(name, raw(expression));
  }
  return {
    collection,
    table,
    name: identifier(table.schema, table.name),
    mode: mode === 'mirror' ? 'upsert' : mode,
    mirrors: mode === 'mirror',
    key,
    fixed: new Set(primaryKey.map(({ name }) => name).filter((name) => !matched.has(name))),
    defaults,
    generated,
    required: new Set(found.columns.filter((column) => column.required).map(({ name }) => name)),
    looseTypes: new Map(
      found.columns.flatMap(({ name, loose }) => (loose === null ? [] : [[name, raw(loose)]])),
    ),
    casts: new Map(
      found.columns.flatMap(({ name, cast }) => (cast === null ? [] : [[name, raw(cast)]])),
    ),
    pages: found.pages,
    estimate: found.estimate,
    made,
    checks: found.checks.map((check) => ({ ...check, condition: raw(check.condition) })),
    copyDefault: found.version >= 160_000,
    mergeReturning: found.version >= 170_000,
    kept:
      keep === null
        ? null
        : new KeptChanges(keep, {
            ...{ collection: collection.name, table },
            key: primaryKey.map(({ column }) => column),
            oldReturning: found.version >= 180_000,
          }),
  };
}

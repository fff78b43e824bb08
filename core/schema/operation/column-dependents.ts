/**
 * Finds the views and computed columns that a change of columns would drop or break; such a change
 * is refused.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import type { Alteration, TableName } from '../schema-change-context.ts';

interface View {
  readonly schema: string;
  readonly name: string;
}

/**
 * Refuses to change columns that views read. PostgreSQL would refuse too, but in the middle of the
 * change.
 * @throws UNPROCESSABLE_ENTITY naming the views
 */
export async function refuseViews(
  { ask }: Pick<Alteration, 'ask'>,
  { schema, name }: TableName,
  columns: readonly string[],
): Promise<void> {
  const views = await ask<View>(sql`
    SELECT DISTINCT vn.nspname AS schema, v.relname AS name
    FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
      AND d.refobjsubid = a.attnum AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite r ON r.oid = d.objid
    JOIN pg_class v ON v.oid = r.ev_class AND v.oid <> t.oid
    JOIN pg_namespace vn ON vn.oid = v.relnamespace
    WHERE n.nspname = ${schema} AND t.relname = ${name} AND a.attname = ANY (${columns}::text[])
    ORDER BY 1, 2`);
  if (views.length === 0) return;
  const names = views.map((view) => `${view.schema}.${view.name}`);
  const why = reason('views_depend_on_columns', {
    columns: columns.join(', '),
    collection: name,
    views: names.join(', '),
  });
  throw new ServiceError('UNPROCESSABLE_ENTITY', { views: names, reason: why });
}

/** A view reads another one. */
interface Reading extends View {
  readonly reader_schema: string;
  readonly reader: string;
}

/** The views among some collections, each after those that read it. */
export async function dependentsFirst(
  { ask, catalog }: Pick<Alteration, 'ask' | 'catalog'>,
  names: readonly string[],
): Promise<string[]> {
  if (names.length < 2) return [...names];
  const readers = await ask<Reading>(sql`
    SELECT DISTINCT rn.nspname AS reader_schema, r.relname AS reader, n.nspname AS schema,
      v.relname AS name
    FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid
    JOIN pg_class r ON r.oid = w.ev_class JOIN pg_namespace rn ON rn.oid = r.relnamespace
    JOIN pg_class v ON v.oid = d.refobjid AND v.oid <> r.oid AND v.relkind IN ('v', 'm')
    JOIN pg_namespace n ON n.oid = v.relnamespace
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass`);
  const tableOf = (name: string) => catalog.collections.get(name)?.table ?? null;
  const reads = (reader: string, name: string) => {
    const [above, below] = [tableOf(reader), tableOf(name)];
    return readers.some(
      (row) =>
        row.reader_schema === above?.schema &&
        row.reader === above.name &&
        row.schema === below?.schema &&
        row.name === below.name,
    );
  };
  const left = new Set(names);
  const ordered: string[] = [];
  while (left.size > 0) {
    const free = [...left].filter((name) => ![...left].some((other) => reads(other, name)));
    // Views cannot read each other in a cycle.
    for (const name of free.length > 0 ? free : [...left]) {
      ordered.push(name);
      left.delete(name);
    }
  }
  return ordered;
}

/**
 * Refuses to drop columns from which other columns of the table are computed. PostgreSQL 14 would
 * drop those too.
 * @throws UNPROCESSABLE_ENTITY naming the computed columns
 */
export async function refuseComputed(
  { ask }: Pick<Alteration, 'ask'>,
  { schema, name }: TableName,
  columns: readonly string[],
): Promise<void> {
  const found = await ask<{ name: string }>(sql`
    SELECT DISTINCT g.attname AS name
    FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute g ON g.attrelid = t.oid AND g.attgenerated <> '' AND NOT g.attisdropped
    JOIN pg_attrdef f ON f.adrelid = t.oid AND f.adnum = g.attnum
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = ANY (${columns}::text[])
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
      AND d.refobjsubid = a.attnum AND (
        d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
        OR d.classid = 'pg_class'::regclass AND d.objid = t.oid AND d.objsubid = g.attnum)
    WHERE n.nspname = ${schema} AND t.relname = ${name} AND a.attnum <> g.attnum
      AND NOT g.attname = ANY (${columns}::text[])
    ORDER BY 1`);
  if (found.length === 0) return;
  const computed = found.map((column) => column.name);
  const why = reason('computed_columns_depend', {
    computed: computed.join(', '),
    collection: name,
    columns: columns.join(', '),
  });
  throw new ServiceError('UNPROCESSABLE_ENTITY', { computed, reason: why });
}

/** The views that a column or table stands in the way of: nothing takes them away unasked. */
import { join, type Sql, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { Alteration, TableName } from '../alteration.ts';

interface View {
  readonly schema: string;
  readonly name: string;
}

/**
 * Refuses to touch columns that views read; PostgreSQL would too, but in the midst of the change.
 * @throws UNPROCESSABLE_ENTITY naming the views
 */
export async function refuseViews(
  { ask }: Pick<Alteration, 'ask'>,
  { schema, name }: TableName,
  columns: readonly string[],
): Promise<void> {
  const list: Sql = join(columns.map((column) => sql`${column}`));
  if (columns.length === 0) return;
  const views = await ask<View>(sql`
    SELECT DISTINCT vn.nspname AS schema, v.relname AS name
    FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid
    JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
      AND d.refobjsubid = a.attnum AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite r ON r.oid = d.objid
    JOIN pg_class v ON v.oid = r.ev_class AND v.oid <> t.oid
    JOIN pg_namespace vn ON vn.oid = v.relnamespace
    WHERE n.nspname = ${schema} AND t.relname = ${name} AND a.attname IN (${list})
    ORDER BY 1, 2`);
  if (views.length === 0) return;
  const names = views.map((view) => `${view.schema}.${view.name}`);
  const reason = `Views depend on ${columns.join(', ')} of ${name}: ${names.join(', ')}.`;
  throw new ServiceError('UNPROCESSABLE_ENTITY', { views: names, reason });
}

/** Finds the collections that a transaction may have changed, from its locks and rows. */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import type { CatalogSchemas } from './catalog.ts';
import { metadataSurvey } from './collection-stamps.ts';
import { FIRST_USER_OID } from './database-stamp.ts';

/** The locks that DDL takes until the end of the transaction. */
const STRONG = [
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
];

/** Rows written by this transaction. */
const YOUNG = sql`age(x.xmin) <= 0`;

/**
 * The names that the open transaction may have created, dropped or changed. These are tables that
 * it has locked for DDL, tables that refer to them, unserved tables that no longer exist, and
 * collections whose metadata differs from the published one. Null when it changed types: then
 * everything must be compared.
 */
export async function touchedCollections(
  client: Client,
  { schemas, system }: CatalogSchemas,
): Promise<readonly string[] | null> {
  const catalog = systemTable(system, 'catalog');
  const { rows } = await client.query<{ name: string | null }>(
    render(sql`
      WITH locked AS MATERIALIZED (
        SELECT DISTINCT l.relation FROM pg_locks l
        WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.mode = ANY (${STRONG})
          AND l.relation >= ${FIRST_USER_OID}
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())),
      near AS (
        SELECT relation FROM locked
        UNION SELECT c.conrelid FROM pg_constraint c
        WHERE c.contype = 'f' AND c.confrelid IN (SELECT relation FROM locked))
      SELECT c.relname::text AS name FROM pg_class c
      JOIN near ON near.relation = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY (${schemas}::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      UNION SELECT collection FROM ${catalog}
      WHERE relation IN (SELECT relation FROM locked)
      UNION SELECT l.name
      FROM ${systemTable(system, 'state')} s
      CROSS JOIN LATERAL jsonb_to_recordset(s.value) AS l (schema text, name text)
      WHERE s.name = 'left out' AND NOT EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = l.schema AND c.relname = l.name)
      UNION SELECT coalesce(m.collection, c.collection)
      FROM (${metadataSurvey(system)}) AS m
      FULL JOIN (SELECT collection, metadata FROM ${catalog} WHERE descriptor IS NOT NULL) AS c
        ON c.collection = m.collection
      WHERE m.stamp IS DISTINCT FROM c.metadata
      UNION SELECT NULL WHERE EXISTS (SELECT FROM pg_enum x WHERE ${YOUNG})
        OR EXISTS (SELECT FROM pg_type x WHERE x.typtype IN ('d', 'e', 'r', 'm') AND ${YOUNG})`),
  );
  const names = rows.map(({ name }) => name);
  return names.every((name) => name !== null) ? names : null;
}

/** Deletes old activities and revisions in batches, so that no lock is held for long. */
import { type Connections, transaction } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** Rows per transaction. */
const BATCH = 1_000;

/** Which entries of the history are old. */
export interface OldHistory {
  readonly connections: Connections;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Older entries are deleted. */
  readonly before: Date;
  /** Only the history of this collection. */
  readonly collection?: string | null;
  /** The latest revision of each item stays, with its activity. */
  readonly keepLatest?: boolean;
}

export interface RetentionOptions extends OldHistory {
  /** Called before each batch with the number of deleted entries; false stops the deletion. */
  readonly goesOn: (removed: number) => boolean;
}

interface Revision {
  readonly id: number;
  readonly activity: number;
}

interface Tables {
  readonly revisions: Sql;
  readonly activities: Sql;
}

function tables(schema: string): Tables {
  return {
    revisions: systemTable(schema, 'revisions'),
    activities: systemTable(schema, 'activity'),
  };
}

/** The condition on activities `a`. */
function ofCollection({ collection }: OldHistory): Sql {
  return collection == null ? sql`` : sql` AND a.collection = ${collection}`;
}

/** The highest id of the old activities; null when there are none. */
async function lastOf(options: OldHistory): Promise<number | null> {
  const { connections, schema, before } = options;
  return transaction(connections, async (client) => {
    const { rows } = await client.query<{ id: number | null }>(
      render(sql`SELECT max(a.id) AS id FROM ${tables(schema).activities} AS a
        WHERE a.timestamp < ${before}${ofCollection(options)}`),
    );
    return rows[0]?.id ?? null;
  });
}

/** The revisions that may be deleted: all, or those that are not the latest of their item. */
function removable({ schema, keepLatest = false }: OldHistory, ids: readonly number[]): Sql {
  const { revisions } = tables(schema);
  const among = sql`SELECT id, collection, item FROM ${revisions} WHERE id = ANY(${ids}::int[])`;
  if (!keepLatest) return sql`SELECT id FROM (${among}) AS r`;
  return sql`SELECT r.id FROM (${among}) AS r JOIN (
      SELECT n.collection, n.item, max(n.id) AS id FROM ${revisions} AS n
      JOIN (SELECT DISTINCT collection, item FROM (${among}) AS i) AS i USING (collection, item)
      GROUP BY n.collection, n.item) AS latest USING (collection, item)
    WHERE r.id <> latest.id`;
}

/**
 * Deletes the revisions of old activities; the activities stay. Younger revisions whose parent is
 * deleted lose their parent.
 * @returns how many
 */
export async function removeRevisions(options: RetentionOptions): Promise<number> {
  const { connections, schema, before, goesOn } = options;
  const { revisions, activities } = tables(schema);
  const last = await lastOf(options);
  let after: Revision = { activity: 0, id: 0 };
  let removed = 0;
  let looked = BATCH;
  while (last !== null && looked === BATCH && goesOn(removed)) {
    const { activity, id } = after;
    await transaction(connections, async (client) => {
      const { rows } = await client.query<Revision>(
        render(sql`SELECT r.id, r.activity FROM ${revisions} AS r
          JOIN ${activities} AS a ON a.id = r.activity
          WHERE r.activity BETWEEN ${activity} AND ${last}
            AND (r.activity, r.id) > (${activity}, ${id})
            AND a.timestamp < ${before}${ofCollection(options)}
          ORDER BY r.activity, r.id LIMIT ${BATCH}`),
      );
      looked = rows.length;
      after = rows.at(-1) ?? after;
      const old = await client.query<{ id: number }>(
        render(
          removable(
            options,
            rows.map((row) => row.id),
          ),
        ),
      );
      const ids = old.rows.map((row) => row.id);
      await client.query(
        render(sql`UPDATE ${revisions} SET parent = NULL
          WHERE parent = ANY(${ids}::int[]) AND id <> ALL(${ids}::int[])`),
      );
      const { rowCount } = await client.query(
        render(sql`DELETE FROM ${revisions} WHERE id = ANY(${ids}::int[])`),
      );
      removed += rowCount ?? 0;
    });
  }
  return removed;
}

/**
 * Deletes old activities without revisions.
 * @returns how many
 */
export async function removeActivities(options: RetentionOptions): Promise<number> {
  const { connections, schema, before, goesOn } = options;
  const { revisions, activities } = tables(schema);
  const last = await lastOf(options);
  let removed = 0;
  let from = 0;
  let found = BATCH;
  while (last !== null && found === BATCH && goesOn(removed)) {
    await transaction(connections, async (client) => {
      const { rows } = await client.query<{ id: number }>(
        render(sql`
          WITH removed AS (
            DELETE FROM ${activities} WHERE id = ANY(ARRAY(
              SELECT a.id FROM ${activities} AS a
              WHERE a.id BETWEEN ${from} AND ${last}
                AND a.timestamp < ${before}${ofCollection(options)}
                AND NOT EXISTS (SELECT FROM ${revisions} AS r WHERE r.activity = a.id)
              ORDER BY a.id LIMIT ${BATCH}))
            RETURNING id)
          SELECT id FROM removed ORDER BY id`),
      );
      found = rows.length;
      removed += rows.length;
      from = rows.at(-1)?.id ?? last;
    });
  }
  return removed;
}

/** The numbers of entries that would be deleted now. */
export async function countOldHistory(
  options: OldHistory,
): Promise<{ revisions: number; activities: number }> {
  const { connections, schema, before, keepLatest = false } = options;
  const { revisions, activities } = tables(schema);
  const latest = keepLatest
    ? sql`WHERE NOT EXISTS (SELECT FROM (SELECT max(id) AS id FROM ${revisions}
        GROUP BY collection, item) AS latest WHERE latest.id = r.id)`
    : sql``;
  return transaction(connections, async (client) => {
    const { rows } = await client.query<{ revisions: number; activities: number }>(
      render(sql`
        WITH old AS (
          SELECT a.id FROM ${activities} AS a WHERE a.timestamp < ${before}${ofCollection(options)}),
        going AS (
          SELECT r.id, r.activity FROM ${revisions} AS r JOIN old ON old.id = r.activity ${latest}),
        stays AS (
          SELECT r.activity, count(*) - count(going.id) AS count
          FROM ${revisions} AS r LEFT JOIN going USING (id) GROUP BY r.activity)
        SELECT (SELECT count(*) FROM going)::float8 AS revisions,
          (SELECT count(*) FROM old LEFT JOIN stays ON stays.activity = old.id
            WHERE coalesce(stays.count, 0) = 0)::float8 AS activities`),
    );
    return rows[0] ?? { revisions: 0, activities: 0 };
  });
}

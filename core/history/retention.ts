/** Deletes old activities and revisions in batches, so that no lock is held for long. */
import { type Pool, transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';

/** Rows per transaction. */
const BATCH = 1_000;

export interface RetentionOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Older rows are deleted. */
  readonly before: Date;
  /** Called before each batch; false leaves the rest for another time. */
  readonly goesOn: () => boolean;
}

/** The highest id of the old activities; null when there are none. */
async function lastOf({ pool, schema, before }: RetentionOptions): Promise<number | null> {
  const { rows } = await pool.query<{ id: number | null }>(
    render(sql`SELECT max(id) AS id FROM ${systemTable(schema, 'activity')}
      WHERE timestamp < ${before}`),
  );
  return rows[0]?.id ?? null;
}

/** Runs batches until one is not full. @returns the number of deleted rows */
async function inBatches(
  options: RetentionOptions,
  batch: (from: number, last: number) => Promise<readonly number[]>,
): Promise<number> {
  const last = await lastOf(options);
  let removed = 0;
  if (last === null) return removed;
  for (let from = 0; options.goesOn(); ) {
    const ids = await batch(from, last);
    removed += ids.length;
    if (ids.length < BATCH) break;
    from = ids.at(-1) ?? last;
  }
  return removed;
}

/**
 * Deletes the revisions of old activities; the activities stay. Younger revisions whose parent is
 * deleted lose their parent.
 * @returns how many
 */
export function removeRevisions(options: RetentionOptions): Promise<number> {
  const { pool, schema, before } = options;
  const revisions = systemTable(schema, 'revisions');
  return inBatches(options, (from, last) =>
    transaction(pool, async (client) => {
      const { rows } = await client.query<{ id: number; activity: number }>(
        render(sql`SELECT r.id, r.activity FROM ${revisions} AS r
          JOIN ${systemTable(schema, 'activity')} AS a ON a.id = r.activity
          WHERE r.activity BETWEEN ${from} AND ${last} AND a.timestamp < ${before}
          ORDER BY r.activity LIMIT ${BATCH}`),
      );
      const ids = rows.map(({ id }) => id);
      await client.query(
        render(sql`UPDATE ${revisions} SET parent = NULL
          WHERE parent = ANY(${ids}::int[]) AND id <> ALL(${ids}::int[])`),
      );
      await client.query(render(sql`DELETE FROM ${revisions} WHERE id = ANY(${ids}::int[])`));
      return rows.map(({ activity }) => activity);
    }),
  );
}

/**
 * Deletes old activities without revisions.
 * @returns how many
 */
export function removeActivities(options: RetentionOptions): Promise<number> {
  const { pool, schema, before } = options;
  const activities = systemTable(schema, 'activity');
  return inBatches(options, async (from, last) => {
    const { rows } = await pool.query<{ id: number }>(
      render(sql`
        WITH removed AS (
          DELETE FROM ${activities} WHERE id = ANY(ARRAY(
            SELECT a.id FROM ${activities} AS a
            WHERE a.id BETWEEN ${from} AND ${last} AND a.timestamp < ${before}
              AND NOT EXISTS (
                SELECT FROM ${systemTable(schema, 'revisions')} AS r WHERE r.activity = a.id)
            ORDER BY a.id LIMIT ${BATCH}))
          RETURNING id)
        SELECT id FROM removed ORDER BY id`),
    );
    return rows.map(({ id }) => id);
  });
}

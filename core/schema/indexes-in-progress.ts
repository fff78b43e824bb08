/** Finds fields whose index is being built, or waits for it. */
import * as v from 'valibot';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { INDEX_JOB, indexMessage } from '#core/jobs/message/index-build.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** The names of fields by their collection. */
export type BuildingIndexes = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The fields whose index is being built. The catalog shows all other indexes.
 * @param collection of one collection only; null for all
 */
export async function buildingIndexes(
  pool: Pool,
  system: string,
  collection: string | null = null,
): Promise<BuildingIndexes> {
  const { rows } = await pool.query<{ message: unknown }>(
    render(sql`SELECT message FROM ${systemTable(system, 'jobs')}
      WHERE ${isOpen} AND kind = ${INDEX_JOB}
        AND (${collection}::text IS NULL OR collection = ${collection})`),
  );
  const building = new Map<string, Set<string>>();
  for (const { message } of rows) {
    // A later release may use another format; its index appears when it exists.
    if (!v.is(indexMessage, message)) continue;
    const fields = building.get(message.collection) ?? new Set<string>();
    building.set(message.collection, fields.add(message.field));
  }
  return building;
}

/** Finds the earlier import of the same file. */
import { literal, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { ClaimedJob } from './claim.ts';
import { IMPORT_JOB } from './message/import.ts';

/**
 * A member `same_file_as` for the result of the import `j`. It contains the latest completed import
 * of the same user and collection with the same file. The parameters may differ, but dry runs are
 * excluded. The member is absent without such an import. A fingerprint consists of the format, the
 * digest of the file, and that of the parameters if any.
 */
export function sameFileAs(schema: string, { user }: Pick<ClaimedJob, 'user'>): Sql {
  const own = user === null ? sql`l."user" IS NULL` : sql`l."user" = ${user}::uuid`;
  return sql`coalesce((SELECT jsonb_build_object('same_file_as', l.id)
    FROM ${systemTable(schema, 'jobs')} l
    WHERE l.kind = ${literal(IMPORT_JOB)} AND l.state = 'completed' AND l.fingerprint IS NOT NULL
      AND l.result ->> 'dry_run' IS NULL AND ${own} AND l.collection = j.collection
      AND split_part(l.fingerprint, ':', 2) = split_part(j.fingerprint, ':', 2)
    ORDER BY l.finished_on DESC LIMIT 1), '{}')`;
}

/** The faults of skipped rows by their reason, with the number of rows. */

import { raw, sql } from '#core/database/sql.ts';
import type { FaultGroup } from '../run/import-options.ts';
import type { ImportRun } from '../run/import-run.ts';

/** The maximum number of groups in a result. */
const GROUPS_MAX = 100;

/** The groups of the stored faults, the largest first. */
export async function groupedFaults({ connection }: ImportRun): Promise<readonly FaultGroup[]> {
  const { rows } = await connection.run(sql`SELECT "code", "field", "reason_code",
      (array_agg("reason" ORDER BY "row", "position"))[1] AS "reason",
      (array_agg("reason_parameters" ORDER BY "row", "position"))[1]::json AS "reason_parameters",
      count(DISTINCT "row")::float8 AS "rows", min("row")::float8 AS "first_row"
    FROM pg_temp.sluice_rejected GROUP BY 1, 2, 3
    ORDER BY 6 DESC, 7, 1, 2 LIMIT ${raw(String(GROUPS_MAX))}`);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return rows.map(
    ({ code, field, reason, reason_code, reason_parameters, rows: count, first_row }) => ({
      code: String(code),
      field: textOf(field),
      reason: textOf(reason),
      reason_code: textOf(reason_code),
      reason_parameters: reason_parameters ?? {},
      rows: Number(count),
      first_row: Number(first_row),
    }),
  );
}

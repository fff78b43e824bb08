/** Lists the live processes of all hosts, with their start time and their problems. */

import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { readReport } from '#core/jobs/worker-report.ts';
import { systemTable } from '#core/model/system/system-table.ts';

interface Process {
  /** Its kind, host and process id. */
  readonly name: string;
  /** Seconds since it joined. */
  readonly age: number;
  /** Why it cannot load the published catalog. */
  readonly trouble: string | null;
  readonly report: unknown;
}

const COMPONENT = { componentType: 'process' } as const;
/** The maximum number of listed processes. */
const MOST_LISTED = 200;

function check({ name, age, trouble, report }: Process): HealthCheck {
  const output = trouble ?? readReport(report)?.reason ?? null;
  return {
    ...{ status: output === null ? 'ok' : 'warn', ...COMPONENT, componentId: name },
    ...{ observedUnit: 's', observedValue: age },
    ...(output !== null && { output }),
  };
}

/** The check `processes:live`. */
export async function processChecks(pool: Pool, schema: string): Promise<HealthChecks> {
  const statement = sql`SELECT name, trouble, report,
      round(extract(epoch FROM clock_timestamp() - started))::float8 AS age
    FROM ${systemTable(schema, 'members')} WHERE expires > clock_timestamp()
    ORDER BY kind, name LIMIT ${MOST_LISTED}::int`;
  try {
    const { rows } = await pool.query<Process>(render(statement));
    return { 'processes:live': rows.map(check) };
  } catch {
    const output = 'The processes could not be looked at.';
    return { 'processes:live': [{ status: 'warn', ...COMPONENT, output }] };
  }
}

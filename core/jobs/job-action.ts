/** What somebody did with a job, as its row keeps it. */
import { type Sql, sql } from '#core/database/sql.ts';

/** Who retries or cancels a job. */
export interface ActingPerson {
  /** The user of the API; null for an operator. */
  readonly user: string | null;
  /** The name of the operator of the monitor; null for users. */
  readonly operator: string | null;
}

export interface JobAction extends ActingPerson {
  readonly action: 'retry' | 'cancel';
  /** ISO-8601 in UTC. */
  readonly on: string;
}

/** The latest actions that a row keeps. */
const MOST_ACTIONS = 50;

/** The actions of a job with another one; of very many the oldest are dropped. */
export function withAction(action: JobAction['action'], by: ActingPerson): Sql {
  return sql`CASE WHEN jsonb_array_length(actions) >= ${MOST_ACTIONS}::int THEN actions - 0
      ELSE actions END
    || jsonb_build_array(jsonb_build_object('action', ${action}::text, 'user', ${by.user}::text,
      'operator', ${by.operator}::text,
      'on', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`;
}

/** The recorded actions of users on a job. */
import { type Sql, sql } from '#core/database/sql.ts';

/** The user or operator who retries, cancels or moves a job. */
export interface ActingPerson {
  /** The user of the API; null for an operator. */
  readonly user: string | null;
  /** The name of the operator of the monitor; null for users. */
  readonly operator: string | null;
}

export interface JobAction extends ActingPerson {
  readonly action: 'retry' | 'cancel' | 'first';
  /** ISO-8601 in UTC. */
  readonly on: string;
}

/** Maximum number of actions that a row stores. */
const MOST_ACTIONS = 50;

/** Appends an action to those of a job; the oldest are dropped above the maximum. */
export function withAction(action: JobAction['action'], by: ActingPerson): Sql {
  return sql`CASE WHEN jsonb_array_length(actions) >= ${MOST_ACTIONS}::int THEN actions - 0
      ELSE actions END
    || jsonb_build_array(jsonb_build_object('action', ${action}::text, 'user', ${by.user}::text,
      'operator', ${by.operator}::text,
      'on', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`;
}

/** The health observations of a process. */

export type HealthStatus = 'ok' | 'warn' | 'error';

/** One observation, after the IETF draft for health responses of HTTP APIs. */
export interface HealthCheck {
  readonly status: HealthStatus;
  readonly componentType?: string;
  /** Identifies one of several components of this check. */
  readonly componentId?: string;
  readonly observedValue?: unknown;
  readonly observedUnit?: string;
  readonly threshold?: number;
  readonly output?: string;
}

export type HealthChecks = Readonly<Record<string, readonly HealthCheck[]>>;

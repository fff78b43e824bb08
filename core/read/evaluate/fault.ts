/** How a payload breaks a rule, in the form that clients know. */
import { ServiceError } from '#core/base/errors/service-error.ts';

/** One broken rule: what kind of rule, and what it would have taken. */
export interface Fault {
  /** The top-level member first, then what lies below it. */
  readonly path: readonly string[];
  /** The operator without its underscore; `required` for a member that must be there. */
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The error of a fault. */
export function faultError({ path, type, details }: Fault): ServiceError {
  const [field = '', ...below] = path;
  return new ServiceError('FAILED_VALIDATION', { field, path: below, type, ...details });
}

/** How a payload violates a rule, in the format for clients. */
import { ServiceError } from '#core/base/errors/service-error.ts';

/** One violated rule: its kind, and the details of the expected value. */
export interface Fault {
  /** The top-level member first, then the members below it. */
  readonly path: readonly string[];
  /** The operator without its underscore; `required` for a missing member. */
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The error for a fault. */
export function faultError({ path, type, details }: Fault): ServiceError {
  const [field = '', ...below] = path;
  return new ServiceError('FAILED_VALIDATION', { field, path: below, type, ...details });
}

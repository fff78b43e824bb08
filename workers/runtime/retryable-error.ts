/**
 * A failure that a later attempt may not repeat, with the errors for the case that every attempt
 * fails.
 */
import type { ServiceError } from '#core/base/errors/service-error.ts';

export class RetryableError extends Error {
  /** The errors of the job after its last attempt. */
  readonly last: ServiceError;

  constructor(last: ServiceError, cause: unknown) {
    super(last.message, { cause });
    this.name = 'TryAgainError';
    this.last = last;
  }
}

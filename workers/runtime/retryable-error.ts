/** A failure that a later attempt may not meet, and what the caller hears when each one meets it. */
import type { ServiceError } from '#core/errors/service-error.ts';

export class RetryableError extends Error {
  /** What the job ends with after its last attempt. */
  readonly last: ServiceError;

  constructor(last: ServiceError, cause: unknown) {
    super(last.message, { cause });
    this.name = 'TryAgainError';
    this.last = last;
  }
}

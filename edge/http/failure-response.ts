/** The error responses of failed requests: the error with its code, and no internals. */

import { withoutSecrets } from '#core/base/config/redact-secrets.ts';
import { catalogue } from '#core/base/errors/catalogue.ts';
import { type ErrorEntry, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Response } from './response.ts';

/** The response to a failure. */
export interface Failure {
  readonly response: Response;
  /** An unexpected error. */
  readonly unexpected: boolean;
}

function coded(errors: readonly [ServiceError, ...ServiceError[]]): Response {
  return {
    status: errors[0].status,
    headers: Object.assign({}, ...errors.map((error) => error.headers)),
    body: JSON.stringify({ errors }),
  };
}

/**
 * Builds a response from an error that a route threw.
 * @param secrets texts that the message of an unexpected error must not contain; null when the
 *   caller is no administrator and must not see that message
 */
export function failureOf(thrown: unknown, secrets: readonly string[] | null): Failure {
  const error = translateFailure(thrown);
  if (error instanceof ServiceErrors) return { response: coded(error.errors), unexpected: false };
  if (error instanceof ServiceError) {
    return { response: coded([error]), unexpected: error.code === 'INTERNAL_SERVER_ERROR' };
  }
  const { status } = catalogue.INTERNAL_SERVER_ERROR;
  const entry = unexpectedEntry(error, secrets);
  return { response: { status, body: JSON.stringify({ errors: [entry] }) }, unexpected: true };
}

function unexpectedEntry(error: unknown, secrets: readonly string[] | null): ErrorEntry {
  const { message } = catalogue.INTERNAL_SERVER_ERROR;
  return {
    message:
      secrets !== null && error instanceof Error ? withoutSecrets(error.message, secrets) : message,
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
}

/** The same error entries as {@link failureOf}, for a response that contains further data. */
export function errorEntriesOf(
  thrown: unknown,
  secrets: readonly string[] | null,
): { readonly entries: readonly ErrorEntry[]; readonly unexpected: boolean } {
  const error = translateFailure(thrown);
  if (error instanceof ServiceErrors) {
    return { entries: error.errors.map((one) => one.toJSON()), unexpected: false };
  }
  if (error instanceof ServiceError) {
    const unexpected = error.code === 'INTERNAL_SERVER_ERROR';
    return { entries: [error.toJSON()], unexpected };
  }
  return { entries: [unexpectedEntry(error, secrets)], unexpected: true };
}

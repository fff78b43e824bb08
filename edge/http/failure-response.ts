/** What a client is told when a request fails: the coded body, and nothing of the inside. */

import { withoutSecrets } from '#core/config/secret.ts';
import { translateFailure } from '#core/database/failure.ts';
import { catalogue } from '#core/errors/catalogue.ts';
import { type ErrorEntry, ServiceError, ServiceErrors } from '#core/errors/service-error.ts';
import type { Response } from './response.ts';

/** The answer to a failure. */
export interface Failure {
  readonly response: Response;
  /** A fault of ours that nobody foresaw. */
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
 * Turns whatever a route threw into an answer.
 * @param secrets what the message of an unexpected error must not hold; null when the caller may
 *   not see it at all, as admins may
 */
export function failureOf(thrown: unknown, secrets: readonly string[] | null): Failure {
  const error = translateFailure(thrown);
  if (error instanceof ServiceErrors) return { response: coded(error.errors), unexpected: false };
  if (error instanceof ServiceError) {
    return { response: coded([error]), unexpected: error.code === 'INTERNAL_SERVER_ERROR' };
  }
  const { message, status } = catalogue.INTERNAL_SERVER_ERROR;
  const entry: ErrorEntry = {
    message:
      secrets !== null && error instanceof Error ? withoutSecrets(error.message, secrets) : message,
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
  return { response: { status, body: JSON.stringify({ errors: [entry] }) }, unexpected: true };
}

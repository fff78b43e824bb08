/** What a client is told when a request fails: the coded body, and nothing of the inside. */
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
 * @param reveal the caller may see the message of an unexpected error, as admins may
 */
export function failureOf(thrown: unknown, reveal: boolean): Failure {
  const error = translateFailure(thrown);
  if (error instanceof ServiceErrors) return { response: coded(error.errors), unexpected: false };
  if (error instanceof ServiceError) {
    return { response: coded([error]), unexpected: error.code === 'INTERNAL_SERVER_ERROR' };
  }
  const { message, status } = catalogue.INTERNAL_SERVER_ERROR;
  const entry: ErrorEntry = {
    message: reveal && error instanceof Error ? error.message : message,
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
  return { response: { status, body: JSON.stringify({ errors: [entry] }) }, unexpected: true };
}

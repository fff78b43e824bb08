/** The parts of an import that a JSON body requests, whatever it names. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { ImportDestination } from '#core/services/import-destination.ts';
import type { ImportProfile } from '#core/services/import-profile.ts';
import type { ImportRequest } from '#core/services/import-submission.ts';
import type { Call } from './call.ts';

/** An import that is requested by a JSON body. */
export interface SourceImport {
  readonly destination: ImportDestination;
  /** The options of the URL. */
  readonly query: ImportParameters;
  /** The profile that the URL names. */
  readonly profile: ImportProfile | null;
  readonly idempotencyKey: string | null;
}

/** How a repeated request finds its job. */
export type Keyed = Required<Pick<ImportRequest, 'idempotencyKey' | 'requestId' | 'request'>>;

/** Whether a request has no body. */
export function lacksBody({ request }: Call): boolean {
  return request.header('content-type') === undefined && (request.body.size ?? 0) === 0;
}

/** The content of an empty file. */
export const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/** The parts of an import that a JSON body requests, whatever it names. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { ImportDestination } from '#core/services/import-destination.ts';
import type { ImportRequest } from '#core/services/import-submission.ts';

/** An import that is requested by a JSON body. */
export interface SourceImport {
  readonly destination: ImportDestination;
  /** The options of the URL. */
  readonly query: ImportParameters;
  readonly idempotencyKey: string | null;
}

/** How a repeated request finds its job. */
export type Keyed = Pick<ImportRequest, 'idempotencyKey' | 'requestId' | 'request'>;

/** The content of an empty file. */
export const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

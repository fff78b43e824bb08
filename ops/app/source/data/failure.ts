/** What went wrong, in words for the person who sees it. */
import { NetworkError, SluiceError } from '../../../client/source/index.ts';

interface Told {
  /** Key of a text. */
  readonly text: string;
  /** What the server said, where that helps. */
  readonly detail: string | null;
}

const BY_CODE: Readonly<Record<string, string>> = {
  FORBIDDEN: 'failure.forbidden',
  INVALID_CREDENTIALS: 'failure.credentials',
  INVALID_OTP: 'failure.otp',
  REQUESTS_EXCEEDED: 'failure.tooMany',
  RECORD_NOT_UNIQUE: 'failure.notUnique',
  INVALID_FOREIGN_KEY: 'failure.foreignKey',
  PRECONDITION_FAILED: 'failure.changedMeanwhile',
  SERVICE_UNAVAILABLE: 'failure.unavailable',
  TOKEN_EXPIRED: 'failure.sessionEnded',
  CONTENT_TOO_LARGE: 'failure.tooLarge',
};

/** Errors whose message says more than their code does. */
const SPEAKING = new Set(['RECORD_NOT_UNIQUE', 'INVALID_FOREIGN_KEY', 'SERVICE_UNAVAILABLE']);

/** Finds the text for an error of any kind. */
export function tellFailure(error: unknown): Told {
  if (error instanceof NetworkError) return { text: 'failure.network', detail: null };
  if (!(error instanceof SluiceError)) {
    return { text: 'failure.unknown', detail: error instanceof Error ? error.message : null };
  }
  const text = BY_CODE[error.code];
  if (text === undefined) return { text: 'failure.refused', detail: error.message };
  return { text, detail: SPEAKING.has(error.code) ? error.message : null };
}

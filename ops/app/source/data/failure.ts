/** What went wrong, in words for the person who sees it. */
import { NetworkError, SluiceError } from '../../../client/source/index.ts';
import { CODES, type Translate, toldReason } from './fault-text.ts';

interface Told {
  /** Key of a text. */
  readonly text: string;
  /** What the server said, where that helps. */
  readonly detail: string | null;
}

const BY_CODE: Readonly<Record<string, string>> = {
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

/** Errors about which the server's reason tells nothing that helps. */
const SILENT = new Set(Object.keys(BY_CODE));
for (const code of ['RECORD_NOT_UNIQUE', 'INVALID_FOREIGN_KEY', 'SERVICE_UNAVAILABLE']) {
  SILENT.delete(code);
}

function lacksMail(error: SluiceError): boolean {
  return error.errors[0]?.extensions.reason_code === 'no_mail_server';
}

/**
 * Finds the text for an error of any kind.
 * @param translate says the server's reason in the language of the App, where that is known
 */
export function tellFailure(error: unknown, translate: Translate): Told {
  if (error instanceof NetworkError) return { text: 'failure.network', detail: null };
  if (!(error instanceof SluiceError)) {
    return { text: 'failure.unknown', detail: error instanceof Error ? error.message : null };
  }
  const [first] = error.errors;
  const reason = first === undefined ? null : toldReason(first.extensions, translate);
  // Another attempt finds no mail server either.
  if (lacksMail(error)) return { text: 'failure.noMail', detail: null };
  const text = BY_CODE[error.code] ?? `fault.code.${error.code}`;
  const detail = SILENT.has(error.code) || reason === translate(text) ? null : reason;
  if (CODES.has(error.code)) return { text, detail };
  return { text: 'failure.refused', detail: error.message };
}

export function isForbidden(error: unknown): boolean {
  return error instanceof SluiceError && error.code === 'FORBIDDEN';
}

/** Refusals that another attempt may not meet: the session, the number of requests, the server itself. */
const PASSING = new Set([0, 401, 408, 429]);

/** Whether the same request may work when it is sent again. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError || !(error instanceof SluiceError)) return true;
  return !lacksMail(error) && (PASSING.has(error.status) || error.status >= 500);
}

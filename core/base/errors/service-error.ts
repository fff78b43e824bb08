/**
 * Errors that a caller caused or must know about. Programming errors are assertions instead.
 */
import { catalogue, type ErrorCode } from './catalogue.ts';
import { cutParameters, type Reason, storedReason } from './reason.ts';

/** The details of an error. */
export interface ErrorDetails {
  readonly reason?: Reason | undefined;
  readonly [name: string]: unknown;
}

/** The wire form of one error. */
export interface ErrorEntry {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>> & { readonly code: ErrorCode };
}

/** Maximum length of a quoted text, and of a whole sentence with quotes. */
const MOST_OF_TEXT = 100;
const MOST_OF_REASON = 2_000;
/** Maximum length of other details. */
const MOST_OF_DETAIL = 1_000;

/** Truncates a text and marks the truncation. */
function brief(text: string, most = MOST_OF_TEXT): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Truncates long quoted texts in a sentence; they can be as long as a body. */
function briefReason(reason: string): string {
  if (reason.length <= MOST_OF_TEXT) return reason;
  const cut = brief(reason, 20 * MOST_OF_REASON);
  return brief(
    cut.replace(/"([^"]+)(?:"|$)/g, (_, inner: string) => `"${brief(inner)}"`),
    MOST_OF_REASON,
  );
}

/** Truncates a detail to a maximum length. */
function briefDetail(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return brief(value, name === 'value' ? MOST_OF_TEXT : MOST_OF_DETAIL);
}

/** The members of a reason for clients: sentence, name, and parameters if it has some. */
export function reasonMembers(reason: Reason | undefined): Readonly<Record<string, unknown>> {
  if (reason === undefined) return {};
  const { code, parameters, sentence } = reason;
  return {
    reason: sentence,
    ...(code === null ? {} : { reason_code: code }),
    ...(Object.keys(parameters).length === 0 ? {} : { reason_parameters: parameters }),
  };
}

/** Truncates the details; an absent reason is not included. */
function briefDetails({ reason, ...details }: ErrorDetails): ErrorDetails {
  const short = Object.entries(details).map(([name, value]) => [name, briefDetail(name, value)]);
  if (reason === undefined) return Object.fromEntries(short);
  const sentence = briefReason(reason.sentence);
  const parameters = cutParameters(reason.parameters, MOST_OF_DETAIL);
  return { ...Object.fromEntries(short), reason: { ...reason, sentence, parameters } };
}

/** A message of the catalogue followed by a reason, which may begin with the same sentence. */
function withReason(message: string, reason: string | undefined): string {
  if (reason === undefined) return message;
  return reason.startsWith(message) ? reason : `${message} ${reason}`;
}

/**
 * One coded error. Its message is that of the catalogue, followed by the reason if there is one.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Response headers that belong to this error, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    given: ErrorDetails = {},
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const details = briefDetails(given);
    super(
      withReason(catalogue[code].message, details.reason?.sentence),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'ServiceError';
    this.code = code;
    this.details = details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  toJSON(): ErrorEntry {
    const { reason, ...details } = this.details;
    const extensions = { ...details, ...reasonMembers(reason), code: this.code };
    return { message: this.message, extensions };
  }
}

/** Several errors in one answer; the status is that of the first. */
export class ServiceErrors extends Error {
  readonly errors: readonly [ServiceError, ...ServiceError[]];

  constructor(errors: readonly [ServiceError, ...ServiceError[]]) {
    super(errors.map((error) => error.message).join('\n'));
    this.name = 'ServiceErrors';
    this.errors = errors;
  }
}

/** 403: missing permissions, or a missing object. The two are never distinguished. */
export function forbidden(reason?: Reason): ServiceError {
  return new ServiceError('FORBIDDEN', { reason });
}

/** Converts a path such as `filter.a[0]._eq` to the notation of URLs: `filter[a][0][_eq]`. */
function bracketed(place: string): string {
  const [name = '', ...inner] = brief(place)
    .split(/[.[\]]+/)
    .filter((part) => part !== '');
  return name + inner.map((part) => `[${part}]`).join('');
}

/**
 * 400 for a query parameter.
 * @param reason its sentence begins with the path in the parameter, in quotes, or with its name
 *   and a colon; it becomes `parameter`
 */
export function invalidQuery(reason: Reason, details: ErrorDetails = {}): ServiceError {
  const match = /^(?:"([^"]+)|(\w+):)/.exec(brief(reason.sentence, MOST_OF_REASON));
  const place = match?.[1] ?? match?.[2];
  return new ServiceError('INVALID_QUERY', {
    ...(place === undefined ? {} : { parameter: bracketed(place) }),
    ...details,
    reason,
  });
}

/** 400 for a body; `reason` names the fault and its place. */
export function invalidPayload(reason: Reason, details: ErrorDetails = {}): ServiceError {
  return new ServiceError('INVALID_PAYLOAD', { ...details, reason });
}

/** 503 with `Retry-After` in seconds; `service` is the unavailable part. */
export function unavailable(
  service: string,
  reason: Reason,
  options: { retryAfter?: number; cause?: unknown } = {},
): ServiceError {
  const { retryAfter = 1, cause } = options;
  return new ServiceError(
    'SERVICE_UNAVAILABLE',
    { service, reason },
    { cause, headers: { 'Retry-After': String(retryAfter) } },
  );
}

/** 429 with `Retry-After` in seconds: the caller already has the maximum that `variable` allows. */
export function quotaExceeded(
  variable: string,
  limit: number,
  reason: Reason,
  retryAfter = 5,
): ServiceError {
  const headers = { 'Retry-After': String(retryAfter) };
  return new ServiceError('REQUESTS_EXCEEDED', { limit, variable, reason }, { headers });
}

/** Restores errors from their wire form, as a failed job stores them. */
export function serviceErrorsOf(entries: readonly ErrorEntry[]): ServiceErrors {
  const errors = entries.map(({ extensions }) => {
    const { code, reason, reason_code, reason_parameters, ...details } = extensions;
    const headers = code === 'SERVICE_UNAVAILABLE' ? { 'Retry-After': '1' } : {};
    if (typeof reason !== 'string') return new ServiceError(code, details, { headers });
    const stored = storedReason(reason, reason_code, reason_parameters);
    return new ServiceError(code, { ...details, reason: stored }, { headers });
  });
  const [first = new ServiceError('INTERNAL_SERVER_ERROR'), ...rest] = errors;
  return new ServiceErrors([first, ...rest]);
}

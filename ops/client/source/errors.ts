/** The errors of calls: a class for each code of the API, and those of the way there. */
import type { ReasonCode } from './types/reason-code.ts';

/** One of the errors of an answer, as the API writes them. */
export interface ErrorEntry {
  readonly message: string;
  readonly extensions: {
    readonly code: string;
    /** What is wrong, by its stable name; a newer server may know more names. */
    readonly reason_code?: ReasonCode | (string & {});
    /** What the sentence of the reason names. */
    readonly reason_parameters?: Readonly<Record<string, string | number>>;
    readonly [member: string]: unknown;
  };
}

/** What is known of an answer that is an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly errors: readonly ErrorEntry[];
  /** The `X-Request-Id` of the answer, which stands in the log of the server, too. */
  readonly requestId?: string | null;
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter?: number | null;
  /** What an answer of GraphQL has beside its errors. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** Any error of a call. `code` is that of the first of `errors`; `status` is 0 without an answer. */
export class SluiceError extends Error {
  override readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly errors: readonly ErrorEntry[];
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  readonly data: unknown;

  constructor({ status, errors, requestId, retryAfter, data, cause }: ErrorAnswer) {
    const [first] = errors;
    const reason = first?.extensions.reason;
    super(typeof reason === 'string' ? reason : first?.message, { cause });
    this.code = first?.extensions.code ?? 'UNKNOWN';
    const words = this.code.toLowerCase().split('_');
    this.name = `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`;
    this.status = status;
    this.errors = errors;
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
    this.data = data;
  }

  /** Where the fault is: the field of the first error, and the path below it. */
  get field(): string | null {
    const field = this.errors[0]?.extensions.field;
    return typeof field === 'string' ? field : null;
  }
}

export class FailedValidationError extends SluiceError {}
export class InvalidPayloadError extends SluiceError {}
export class InvalidQueryError extends SluiceError {}
export class RecordNotUniqueError extends SluiceError {}
export class NotNullViolationError extends SluiceError {}
export class ContainsNullValuesError extends SluiceError {}
export class InvalidForeignKeyError extends SluiceError {}
export class ValueOutOfRangeError extends SluiceError {}
export class ValueTooLongError extends SluiceError {}
export class InvalidCollectionError extends SluiceError {}
export class InvalidInviteError extends SluiceError {}
export class GraphqlValidationError extends SluiceError {}
export class InvalidCredentialsError extends SluiceError {}
export class InvalidOtpError extends SluiceError {}
export class InvalidIpError extends SluiceError {}
export class TokenExpiredError extends SluiceError {}
export class UserSuspendedError extends SluiceError {}
export class ForbiddenError extends SluiceError {}
export class InvalidTokenError extends SluiceError {}
export class LimitExceededError extends SluiceError {}
export class RouteNotFoundError extends SluiceError {}
export class MethodNotAllowedError extends SluiceError {}
export class OutOfTimeError extends SluiceError {}
export class ConflictError extends SluiceError {}
export class PreconditionFailedError extends SluiceError {}
export class ContentTooLargeError extends SluiceError {}
export class UnsupportedMediaTypeError extends SluiceError {}
export class RangeNotSatisfiableError extends SluiceError {}
export class UnprocessableEntityError extends SluiceError {}
export class RequestsExceededError extends SluiceError {}
export class HeadersTooLargeError extends SluiceError {}
export class InternalServerError extends SluiceError {}
export class ServiceUnavailableError extends SluiceError {}

/** No answer came, or only a part of one: whether the server did something is not known. */
export class NetworkError extends SluiceError {
  constructor(message: string, cause?: unknown) {
    super({ status: 0, errors: [{ message, extensions: { code: 'NETWORK' } }], cause });
  }
}

/** Nothing moved for as long as `timeout` says: whether the server did something is not known. */
export class TimeoutError extends SluiceError {
  constructor(timeout: number) {
    const message = `There was no sign of the server for ${timeout} ms.`;
    super({ status: 0, errors: [{ message, extensions: { code: 'TIMEOUT' } }] });
  }
}

const CLASSES: Readonly<Record<string, new (answer: ErrorAnswer) => SluiceError>> = {
  FAILED_VALIDATION: FailedValidationError,
  INVALID_PAYLOAD: InvalidPayloadError,
  INVALID_QUERY: InvalidQueryError,
  RECORD_NOT_UNIQUE: RecordNotUniqueError,
  NOT_NULL_VIOLATION: NotNullViolationError,
  CONTAINS_NULL_VALUES: ContainsNullValuesError,
  INVALID_FOREIGN_KEY: InvalidForeignKeyError,
  VALUE_OUT_OF_RANGE: ValueOutOfRangeError,
  VALUE_TOO_LONG: ValueTooLongError,
  INVALID_COLLECTION: InvalidCollectionError,
  INVALID_INVITE: InvalidInviteError,
  GRAPHQL_VALIDATION: GraphqlValidationError,
  INVALID_CREDENTIALS: InvalidCredentialsError,
  INVALID_OTP: InvalidOtpError,
  INVALID_IP: InvalidIpError,
  TOKEN_EXPIRED: TokenExpiredError,
  USER_SUSPENDED: UserSuspendedError,
  FORBIDDEN: ForbiddenError,
  INVALID_TOKEN: InvalidTokenError,
  LIMIT_EXCEEDED: LimitExceededError,
  ROUTE_NOT_FOUND: RouteNotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  OUT_OF_TIME: OutOfTimeError,
  CONFLICT: ConflictError,
  PRECONDITION_FAILED: PreconditionFailedError,
  CONTENT_TOO_LARGE: ContentTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  RANGE_NOT_SATISFIABLE: RangeNotSatisfiableError,
  UNPROCESSABLE_ENTITY: UnprocessableEntityError,
  REQUESTS_EXCEEDED: RequestsExceededError,
  HEADERS_TOO_LARGE: HeadersTooLargeError,
  INTERNAL_SERVER_ERROR: InternalServerError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
};

/** Makes the error of its code; codes that are not known here are plain {@link SluiceError}. */
export function errorOf(answer: ErrorAnswer): SluiceError {
  const code = answer.errors[0]?.extensions.code ?? '';
  const Class = Object.hasOwn(CLASSES, code) ? CLASSES[code] : undefined;
  return new (Class ?? SluiceError)(answer);
}

function isEntry(value: unknown): value is ErrorEntry {
  if (typeof value !== 'object' || value === null || !('extensions' in value)) return false;
  const { extensions } = value;
  return typeof extensions === 'object' && extensions !== null && 'code' in extensions;
}

/** Reads `errors` of a body; empty when there are none. */
export function entriesOf(body: unknown): ErrorEntry[] {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return [];
  return Array.isArray(body.errors) ? body.errors.filter(isEntry) : [];
}

/** What an answer stands for that does not come from Sluice, such as that of a proxy. */
export function strangeEntry(status: number): ErrorEntry {
  let code = 'UNEXPECTED_ANSWER';
  if (status === 429) code = 'REQUESTS_EXCEEDED';
  if (status >= 502 && status <= 504) code = 'SERVICE_UNAVAILABLE';
  return {
    message: `The answer has status ${status} and no error of Sluice.`,
    extensions: { code },
  };
}

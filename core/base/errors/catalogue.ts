/**
 * The catalogue of all errors for clients: code, HTTP status, message, and whether a retry of the
 * same request can succeed. Codes and statuses are those of the Directus family of APIs.
 */

/** The fixed properties of an error code. */
export interface CatalogueEntry {
  readonly status: number;
  readonly message: string;
  /** The same request can succeed later. */
  readonly retry: boolean;
}

function entry(status: number, message: string, retry = false): CatalogueEntry {
  return { status, message, retry };
}

export const catalogue = {
  FAILED_VALIDATION: entry(400, 'A value does not pass validation.'),
  INVALID_PAYLOAD: entry(400, 'The body of the request cannot be used.'),
  INVALID_QUERY: entry(400, 'A query parameter cannot be used.'),
  RECORD_NOT_UNIQUE: entry(400, 'Another item has this value, which must be unique.'),
  NOT_NULL_VIOLATION: entry(400, 'A required value is missing.'),
  CONTAINS_NULL_VALUES: entry(400, 'The field cannot become required while items lack a value.'),
  INVALID_FOREIGN_KEY: entry(400, 'Items may only refer to items that exist.'),
  VALUE_OUT_OF_RANGE: entry(400, 'A number is outside the range of its field.'),
  VALUE_TOO_LONG: entry(400, 'A value is longer than its field allows.'),
  INVALID_COLLECTION: entry(400, 'The collection cannot be used here.'),
  INVALID_INVITE: entry(400, 'The invitation is not valid any more.'),
  INVALID_CREDENTIALS: entry(401, 'The credentials are wrong.'),
  INVALID_OTP: entry(401, 'The one-time password is wrong.'),
  INVALID_IP: entry(401, 'The address is not allowed for this user.'),
  TOKEN_EXPIRED: entry(401, 'The token has expired.'),
  USER_SUSPENDED: entry(401, 'The user is suspended.'),
  FORBIDDEN: entry(403, 'You may not do this, or it does not exist.'),
  INVALID_TOKEN: entry(403, 'The token is not valid.'),
  LIMIT_EXCEEDED: entry(403, 'A limit is exceeded.', true),
  ROUTE_NOT_FOUND: entry(404, 'There is no such route.'),
  METHOD_NOT_ALLOWED: entry(405, 'The method is not allowed here.'),
  OUT_OF_TIME: entry(408, 'The work did not end in its time.', true),
  CONFLICT: entry(409, 'Its state does not allow this.'),
  PRECONDITION_FAILED: entry(412, 'The item has changed since it was read.'),
  CONTENT_TOO_LARGE: entry(413, 'The content is too large.'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'The type of the content is not supported here.'),
  RANGE_NOT_SATISFIABLE: entry(416, 'The file has no such part.'),
  UNPROCESSABLE_ENTITY: entry(422, 'The action is not possible.'),
  REQUESTS_EXCEEDED: entry(429, 'Too many requests.', true),
  HEADERS_TOO_LARGE: entry(431, 'The line and headers of the request are too large.'),
  INTERNAL_SERVER_ERROR: entry(500, 'An unexpected error occurred.'),
  SERVICE_UNAVAILABLE: entry(503, 'A service is not available.', true),
} as const satisfies Record<string, CatalogueEntry>;

/** The code of an error, as clients see it in `extensions.code`. */
export type ErrorCode = keyof typeof catalogue;

// @newest @quick
/** Pins the catalogue: clients depend on every code and status in it. */

import t from 'tap';
import { catalogue } from '#core/base/errors/catalogue.ts';
import { reason, storedReason } from '#core/base/errors/reason.ts';
import {
  forbidden,
  ServiceError,
  ServiceErrors,
  serviceErrorsOf,
  unavailable,
} from '#core/base/errors/service-error.ts';

const STATUS: Readonly<Record<string, number>> = {
  FAILED_VALIDATION: 400,
  INVALID_PAYLOAD: 400,
  INVALID_QUERY: 400,
  RECORD_NOT_UNIQUE: 400,
  NOT_NULL_VIOLATION: 400,
  CONTAINS_NULL_VALUES: 400,
  INVALID_FOREIGN_KEY: 400,
  VALUE_OUT_OF_RANGE: 400,
  VALUE_TOO_LONG: 400,
  INVALID_COLLECTION: 400,
  INVALID_INVITE: 400,
  INVALID_CREDENTIALS: 401,
  INVALID_OTP: 401,
  INVALID_IP: 401,
  TOKEN_EXPIRED: 401,
  USER_SUSPENDED: 401,
  FORBIDDEN: 403,
  INVALID_TOKEN: 403,
  LIMIT_EXCEEDED: 403,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  OUT_OF_TIME: 408,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  CONTENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  UNPROCESSABLE_ENTITY: 422,
  REQUESTS_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

t.test('every code has its status', async (t) => {
  const found = Object.entries(catalogue).map(([code, entry]) => [code, entry.status]);
  t.strictSame(Object.fromEntries(found), STATUS);
});

t.test('only temporary errors are worth a retry', async (t) => {
  const retried = Object.entries(catalogue).flatMap(([code, { retry }]) => (retry ? [code] : []));
  t.strictSame(retried, [
    'LIMIT_EXCEEDED',
    'OUT_OF_TIME',
    'REQUESTS_EXCEEDED',
    'SERVICE_UNAVAILABLE',
  ]);
});

t.test('an error is serialized as message and extensions', async (t) => {
  const odd = reason('parameter_boolean_expected', { name: 'x' });
  const error = new ServiceError('INVALID_QUERY', { reason: odd, code: 'X' });
  t.strictSame(JSON.parse(JSON.stringify(error)), {
    message: `${catalogue.INVALID_QUERY.message} "x" must be true or false.`,
    extensions: {
      reason: '"x" must be true or false.',
      reason_code: 'parameter_boolean_expected',
      reason_parameters: { name: 'x' },
      code: 'INVALID_QUERY',
    },
  });
  // Without a reason, the message of a row error is its whole description.
  const { message } = new ServiceError('RECORD_NOT_UNIQUE');
  t.equal(
    new ServiceError('RECORD_NOT_UNIQUE', { reason: storedReason(message, null, null) }).message,
    message,
  );
  const longer = `${message} An earlier row has it.`;
  t.equal(
    new ServiceError('RECORD_NOT_UNIQUE', { reason: storedReason(longer, null, null) }).message,
    longer,
  );
  t.strictSame(JSON.parse(JSON.stringify(forbidden())).extensions, { code: 'FORBIDDEN' });
  t.strictSame(unavailable('database', reason('database_unreachable'), { retryAfter: 3 }).headers, {
    'Retry-After': '3',
  });
});

t.test('the stored errors of a failed job are restored', async (t) => {
  const error = new ServiceError('VALUE_TOO_LONG', { row: 2, field: 'name' });
  const again = serviceErrorsOf([error.toJSON()]);
  t.ok(again instanceof ServiceErrors);
  t.strictSame(
    again.errors.map((entry) => entry.toJSON()),
    [error.toJSON()],
  );
  t.equal(serviceErrorsOf([]).errors[0].code, 'INTERNAL_SERVER_ERROR');
});

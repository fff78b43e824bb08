/** The reason of an error for reports, which always contain one. */
import type { ErrorCode } from './catalogue.ts';
import { type Reason, reason, storedReason } from './reason.ts';
import type { ServiceError } from './service-error.ts';

/** The reasons for errors without one: the message of their code. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, Reason>>> = {
  FAILED_VALIDATION: reason('value_fails_validation'),
  RECORD_NOT_UNIQUE: reason('value_not_unique'),
  NOT_NULL_VIOLATION: reason('value_missing'),
  INVALID_FOREIGN_KEY: reason('value_refers_to_no_item'),
  VALUE_OUT_OF_RANGE: reason('value_out_of_range'),
  VALUE_TOO_LONG: reason('value_too_long'),
  FORBIDDEN: reason('forbidden_or_missing'),
};

/** The reason of an error, or that of its code. */
export function reasonOf({ code, details, message }: ServiceError): Reason {
  return details.reason ?? BY_CODE[code] ?? storedReason(message, null, null);
}

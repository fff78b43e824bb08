// @newest @quick

import t from 'tap';
import { catalogue } from '#core/base/errors/catalogue.ts';
import { reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';

t.test('an error without a reason has the message of its code', async (t) => {
  const codes = [
    ...(['FAILED_VALIDATION', 'RECORD_NOT_UNIQUE', 'NOT_NULL_VIOLATION', 'FORBIDDEN'] as const),
    ...(['INVALID_FOREIGN_KEY', 'VALUE_OUT_OF_RANGE', 'VALUE_TOO_LONG', 'CONFLICT'] as const),
  ];
  for (const code of codes) {
    t.equal(reasonOf(new ServiceError(code)).sentence, catalogue[code].message, code);
  }
  t.equal(reasonOf(forbidden()).code, 'forbidden_or_missing');
});

t.test('its own reason takes precedence', async (t) => {
  const own = reason('too_many_characters', { limit: 3 });
  t.strictSame(reasonOf(new ServiceError('VALUE_TOO_LONG', { reason: own })), own);
});

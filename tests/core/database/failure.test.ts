// @newest @quick

// The translation of PostgreSQL failures; by default it discloses no names.
import pg from 'pg';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { EVERYTHING, translateFailure } from '#core/database/failure.ts';

const CANARY = {
  detail: 'Key (canary)=(canary) already exists.',
  schema: 'canary',
  table: 'canary',
  column: 'canary',
  constraint: 'canary',
  dataType: 'canary',
  where: 'canary',
  hint: 'canary',
  internalQuery: 'canary',
};

function failure(code: string, more: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  const error = new pg.DatabaseError('canary', 0, 'error');
  return Object.assign(error, CANARY, { code }, more);
}

const STATES: Readonly<Record<string, string | null>> = {
  '23505': 'RECORD_NOT_UNIQUE',
  '23P01': 'RECORD_NOT_UNIQUE',
  '23502': 'NOT_NULL_VIOLATION',
  '23503': 'INVALID_FOREIGN_KEY',
  '23001': 'INVALID_FOREIGN_KEY',
  '23514': 'FAILED_VALIDATION',
  '44000': 'FAILED_VALIDATION',
  '22003': 'VALUE_OUT_OF_RANGE',
  '22001': 'VALUE_TOO_LONG',
  '22P02': 'INVALID_QUERY',
  '57014': 'SERVICE_UNAVAILABLE',
  '40P01': 'SERVICE_UNAVAILABLE',
  '53100': 'SERVICE_UNAVAILABLE',
  '55000': 'SERVICE_UNAVAILABLE',
  // An unexpected failure: a 500.
  '42P01': null,
  P0001: null,
  XX000: null,
};

t.test('every state has its code, and discloses no names without a view', async (t) => {
  for (const [state, code] of Object.entries(STATES)) {
    const error = translateFailure(failure(state));
    if (code === null) {
      t.ok(error instanceof pg.DatabaseError, state);
      continue;
    }
    t.ok(error instanceof ServiceError && error.code === code, state);
    t.notMatch(JSON.stringify(error), /canary/, state);
  }
});

t.test('a relation that the statement or a trigger lacks is not a fault of a value', async (t) => {
  const nowhere = { position: undefined, internalPosition: undefined, where: undefined };
  for (const place of [{ position: '9' }, { where: 'PL/pgSQL function f() line 1' }]) {
    const missing = failure('42P01', { ...nowhere, ...place });
    t.equal(translateFailure(missing), missing);
  }
  const value = translateFailure(failure('42P01', nowhere));
  t.ok(value instanceof ServiceError && value.code === 'INVALID_QUERY', 'as of regclass');
});

t.test('in a write, errors that the database raises or casts concern the payload', async (t) => {
  const view = { words: false, writing: true, tableOf: () => null };
  for (const state of ['P0001', '45000', '23000', '22P02', '22007']) {
    const error = translateFailure(failure(state), view);
    t.ok(error instanceof ServiceError && error.code === 'FAILED_VALIDATION', state);
    t.notMatch(JSON.stringify(error), /canary/, state);
    t.match(JSON.stringify(translateFailure(failure(state), EVERYTHING)), /canary/, state);
  }
});

t.test('a policy rejects the row; a missing privilege concerns the operator', async (t) => {
  const refused = failure('42501', { routine: 'ExecWithCheckOptions' });
  t.strictSame(JSON.parse(JSON.stringify(translateFailure(refused))).extensions, {
    code: 'FORBIDDEN',
  });
  t.match(JSON.stringify(translateFailure(refused, EVERYTHING)), /canary/);
  const missing = failure('42501', { routine: 'aclcheck_error' });
  t.equal(translateFailure(missing), missing);
});

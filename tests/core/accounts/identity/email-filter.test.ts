// @newest @quick

import t from 'tap';
import { passesEmailFilter } from '#core/accounts/identity/email-filter.ts';

t.test('the filter of the settings is judged on the address alone', (t) => {
  const passes = (filter: unknown) => passesEmailFilter('ann@example.com', filter);
  t.ok(passes(null));
  t.ok(passes({}));
  t.ok(passes({ email: { _ends_with: '@example.com' } }));
  t.notOk(passes({ email: { _ends_with: '@example.org' } }));
  t.ok(passes({ _or: [{ email: { _eq: 'x' } }, { email: { _starts_with: 'ann@' } }] }));
  t.notOk(passes({ _and: [{ email: { _nnull: true } }, { email: { _contains: 'bob' } }] }));
  t.end();
});

t.test('a filter that cannot be understood lets nobody pass', (t) => {
  for (const filter of ['text', 7, [], { email: { _no_such: 1 } }, { _or: 'x' }]) {
    t.notOk(passesEmailFilter('ann@example.com', filter), JSON.stringify(filter));
  }
  t.end();
});

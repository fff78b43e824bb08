// @newest @quick

import t from 'tap';
import { AmpleQuota } from '#core/files/ample-quota.ts';

t.test('what is little beside the rest is not added up each time', async (t) => {
  const quota = new AmpleQuota();
  t.notOk(quota.take('a', 1), 'of an unknown user nothing is known');
  quota.note('a', 6_400);
  t.ok(quota.take('a', 60));
  t.notOk(quota.take('a', 41), 'together it is more than a part of what is left');
  t.ok(quota.take('a', -20), 'what was reserved and not used is given back');
  t.ok(quota.take('a', 60));
  t.notOk(quota.take('a', 1));
  t.notOk(quota.take('b', 1), 'others have their own');
});

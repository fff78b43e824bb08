// @newest @quick

import t from 'tap';
import { addressKey } from '#core/access/quota-key.ts';

t.test('an address has one key, however it is written', async (t) => {
  t.equal(addressKey('192.0.2.1'), '192.0.2.1');
  t.equal(addressKey('::ffff:192.0.2.1'), '192.0.2.1', 'as servers for both kinds see it');
  t.equal(
    addressKey('2001:db8::1'),
    addressKey('2001:db8:0:0:ffff::2'),
    'one network is one client',
  );
  t.not(addressKey('2001:db8::1'), addressKey('2001:db8:0:1::1'));
});

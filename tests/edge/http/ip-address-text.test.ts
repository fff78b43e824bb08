// @newest @quick

import t from 'tap';
import { addressText } from '#edge/http/ip-address-text.ts';

t.test('addresses as text', async (t) => {
  const text = (...bytes: number[]) => addressText(Uint8Array.from(bytes).buffer);
  const zeros = (length: number) => Array<number>(length).fill(0);
  t.equal(text(127, 0, 0, 1), '127.0.0.1');
  t.equal(text(...zeros(10), 0xff, 0xff, 10, 1, 2, 255), '10.1.2.255', 'mapped into IPv6');
  t.equal(text(...zeros(15), 1), '::1');
  t.equal(text(0x20, 0x01, 0x0d, 0xb8, ...zeros(10), 0, 0x1a), '2001:db8::1a');
  t.equal(text(), '', 'none');
});

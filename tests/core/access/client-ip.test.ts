// @newest @quick

import t from 'tap';
import { clientIpResolver } from '#core/access/client-ip.ts';
import type { Proxies } from '#core/base/config/variable.ts';

function client(proxies: Proxies, ip: string, forwarded?: string): string | null {
  return clientIpResolver(proxies)({
    ip,
    header: (name) => (name === 'x-forwarded-for' ? forwarded : undefined),
  });
}

t.test('without trusted proxies only the peer counts', async (t) => {
  t.equal(client('none', '192.0.2.1', '203.0.113.9'), '192.0.2.1');
  t.equal(client('none', '2001:db8::1'), '2001:db8::1');
  t.equal(client('none', ''), null, 'the connection is gone');
});

t.test('an untrusted peer cannot name another address', async (t) => {
  t.equal(client(['10.0.0.0/8'], '192.0.2.1', '203.0.113.9'), '192.0.2.1');
  // Whatever the client itself wrote stands before what the proxy appended.
  t.equal(client(['10.0.0.0/8'], '10.1.2.3', '203.0.113.9, 198.51.100.7'), '198.51.100.7');
});

t.test('the chain of trusted proxies is followed to its end', async (t) => {
  t.equal(client(['10.0.0.0/8'], '10.1.2.3', '203.0.113.9, 10.9.9.9'), '203.0.113.9');
  t.equal(client(['10.0.0.0/8'], '10.1.2.3', '10.7.7.7'), '10.7.7.7');
  t.equal(client(['10.0.0.0/8'], '10.1.2.3'), '10.1.2.3');
  t.equal(client(['::1'], '::1', '2001:DB8::5'), '2001:db8::5');
  t.equal(client(['10.1.2.3'], '10.1.2.3', '[2001:db8::7]:4711'), '2001:db8::7');
  t.equal(client(['10.1.2.3'], '10.1.2.3', '203.0.113.9:80'), '203.0.113.9');
  t.equal(client(['10.1.2.3'], '10.1.2.3', '::ffff:203.0.113.9'), '203.0.113.9');
  t.equal(client('all', '192.0.2.1', '203.0.113.9, 198.51.100.7'), '203.0.113.9');
});

t.test('what is no address ends the chain', async (t) => {
  for (const junk of ['unknown', '', '1', '0x7f.1', '1.2.3.4; DROP', '_hidden']) {
    t.equal(client('all', '192.0.2.1', `203.0.113.9, ${junk}`), '192.0.2.1', junk);
  }
});

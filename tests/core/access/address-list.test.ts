// @newest @quick

import t from 'tap';
import { AddressList } from '#core/access/address-list.ts';

const holds = (entries: readonly string[], ip: string | null) => new AddressList(entries).has(ip);

t.test('single addresses, ranges and blocks of both families', (t) => {
  t.ok(holds(['10.0.0.1'], '10.0.0.1'));
  t.notOk(holds(['10.0.0.1'], '10.0.0.2'));
  t.ok(holds(['10.0.0.1 - 10.0.1.9'], '10.0.0.200'));
  t.ok(holds(['10.0.0.1-10.0.1.9'], '10.0.1.9'));
  t.notOk(holds(['10.0.0.1-10.0.1.9'], '10.0.1.10'));
  t.ok(holds(['192.168.0.0/16'], '192.168.255.1'));
  t.notOk(holds(['192.168.0.0/16'], '192.169.0.1'));
  t.ok(holds(['0.0.0.0/0'], '8.8.8.8'));
  t.ok(holds(['2001:db8::1'], '2001:0db8:0:0::0001'));
  t.ok(holds(['2001:db8::/32'], '2001:db8:ffff::1'));
  t.notOk(holds(['2001:db8::/32'], '2001:db9::1'));
  t.ok(holds(['2001:db8::1-2001:db8::ff'], '2001:db8::80'));
  t.ok(holds(['1.1.1.1', '10.0.0.0/8'], '10.1.1.1'), 'any entry');
  t.end();
});

t.test('an address is the same whether mapped into IPv6 or not', (t) => {
  t.ok(holds(['10.0.0.0/8'], '::ffff:10.1.2.3'));
  t.ok(holds(['10.0.0.1'], '::ffff:a00:1'));
  t.ok(holds(['::ffff:10.0.0.1'], '10.0.0.1'));
  t.ok(holds(['::ffff:10.0.0.0/104'], '10.200.0.1'));
  t.notOk(holds(['::ffff:10.0.0.0/104'], '11.0.0.1'));
  t.ok(holds(['fe80::1'], 'fe80::1%eth0'), 'a zone is no part of it');
  t.end();
});

t.test('families do not hold each other', (t) => {
  t.notOk(holds(['::/0'], '10.0.0.1'));
  t.notOk(holds(['0.0.0.0/0'], '2001:db8::1'));
  t.end();
});

t.test('what cannot be read holds nothing', (t) => {
  const bad = [
    '*',
    '10.0.0',
    '10.0.0.1/33',
    '10.0.0.1/-1',
    '10.0.0.1/x',
    '10.0.0.9-10.0.0.1',
    '10.0.0.1-2001:db8::1',
    '10.0.0.1-',
    '-10.0.0.1',
    '0x0a.0.0.1',
    '::ffff:10.0.0.0/8',
    '10.0.0.1/',
    '',
  ];
  for (const entry of bad) t.notOk(holds([entry], '10.0.0.1'), entry);
  t.ok(holds([...bad, '10.0.0.1'], '10.0.0.1'), 'and spoils nothing');
  t.notOk(holds(['0.0.0.0/0'], null));
  t.notOk(holds(['0.0.0.0/0'], 'localhost'));
  t.end();
});

// @newest @quick

import t from 'tap';
import * as v from 'valibot';
import { includesOrigin, origins } from '#core/base/config/origin.ts';

function includes(rule: string, origin: string): boolean {
  return includesOrigin(v.parse(origins, rule), origin);
}

t.test('origins that a rule allows', async (t) => {
  for (const [rule, origin, expected] of [
    ['false', 'https://a.example', false],
    ['true', 'https://a.example', true],
    ['*', 'https://a.example', true],
    ['https://a.example, http://b.example:81', 'http://b.example:81', true],
    ['https://a.example/', 'https://a.example', true],
    ['https://a.example', 'https://a.example.evil.example', false],
    ['https://a.example', 'http://a.example', false],
    ['/https:\\/\\/.+\\.a\\.example/', 'https://x.a.example', true],
    ['regex:https://a\\.example', 'https://a.example', true],
    ['regex:https://a\\.example', 'https://a.example.evil.example', false],
    ['/https:\\/\\/a|b/', 'b', true],
    ['/.*/', 'x'.repeat(301), false],
    ['true', 'null', false],
    ['*', 'null', false],
    ['/.*/', 'null', false],
  ] as const) {
    t.equal(includes(rule, origin), expected, `${rule} ${origin}`);
  }
});

t.test('an invalid rule is rejected', async (t) => {
  for (const rule of [
    '',
    'a.example',
    'https://a.example/path',
    '/(/',
    'https://a.example,',
    'yes',
  ]) {
    t.equal(v.is(origins, rule), false, rule);
  }
});

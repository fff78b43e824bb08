// @quick

import { prepareValue } from 'pg/lib/utils.js';
import t from 'tap';
import { identifier, join, literal, quote, render, sql } from '#core/database/sql.ts';

t.test('values become numbered parameters, pieces are embedded', async (t) => {
  const where = sql`${identifier('a')} = ${1} AND ${identifier('b')} = ${'x'}`;
  t.strictSame(render(sql`SELECT ${0} FROM ${identifier('s', 't')} WHERE ${where}`), {
    text: 'SELECT $1 FROM "s"."t" WHERE "a" = $2 AND "b" = $3',
    values: [0, 1, 'x'],
  });
});

t.test('identifiers are safe with any content', async (t) => {
  t.equal(quote('a"; DROP TABLE x; --'), '"a""; DROP TABLE x; --"');
});

t.test('literals are safe with any content', async (t) => {
  t.equal(render(literal("it's")).text, "'it''s'");
  t.equal(render(literal("a\\'b")).text, "E'a\\\\''b'");
});

t.test('an empty list of pieces is empty', async (t) => {
  t.equal(render(join([])).text, '');
  t.equal(render(join([sql`${1}`, sql`${2}`], ' OR ')).text, '$1 OR $2');
});

t.test('a long list of texts is written like by the driver', async (t) => {
  const texts = ['a', '', null, '"', '\\', 'a"b\\c"', '{}', 'NULL', ',', 'é😀', ' ', '\n'];
  const long = Array.from({ length: 2_000 }, (_, index) => texts[index % texts.length] ?? null);
  t.strictSame(render(sql`${long}`).values, [prepareValue(long)]);
  const plain = Array.from({ length: 2_000 }, (_, index) => `${index} {NULL}, é😀`);
  t.strictSame(render(sql`${plain}`).values, [prepareValue(plain)], 'nothing is escaped');
  const lines = Array.from({ length: 2_000 }, () => 'one\ntwo\t\u0001');
  t.strictSame(render(sql`${lines}`).values, [prepareValue(lines)], 'JSON would escape them');
  const gaps = Array.from({ length: 1_000 }, (_, index) => (index === 1 ? null : 'null'));
  const [text] = render(sql`${gaps}`).values;
  // PostgreSQL reads NULL without quotes in any case.
  t.match(text, /^\{"null",null,"null",.*"null"\}$/);
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  t.strictSame(render(sql`${numbers}`).values, [numbers], 'other values are left to the driver');
});

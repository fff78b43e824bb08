/** Values as the Admin App reads and writes them: ranges, durations, lists, links, colours, moments. */
import t from 'tap';
import { withComma, withPoint } from '#ops/app/source/data/decimal.ts';
import {
  readDuration,
  tellDuration,
  writeDuration,
} from '#ops/app/source/display/interval-value.ts';
import { readRange, writeRange } from '#ops/app/source/display/range-value.ts';
import { isPercent, relativeTime, valueKind } from '#ops/app/source/display/value-kind.ts';
import { splitEntries, toEntry } from '#ops/app/source/interface/list-entries.ts';

t.test('ranges', (t) => {
  const whole = { lower: '1', upper: '5', includesLower: true, includesUpper: false };
  t.strictSame(readRange('[1,5)'), whole);
  t.strictSame(readRange('(,)'), {
    ...{ lower: null, upper: null, includesLower: false, includesUpper: false },
  });
  const times = '["2026-01-02 03:04:05","2026-01-03 00:00:00"]';
  t.strictSame(readRange(times), {
    ...{ lower: '2026-01-02 03:04:05', upper: '2026-01-03 00:00:00' },
    ...{ includesLower: true, includesUpper: true },
  });
  for (const text of ['[1,5)', '(,5]', '[1.5,)', '[2026-01-02,2026-02-03)', times]) {
    const range = readRange(text);
    t.equal(range && writeRange(range), text);
  }
  const quoted = { ...whole, lower: 'a "b" \\ c', upper: 'd,e' };
  t.strictSame(readRange(writeRange(quoted)), quoted, 'quotes within a bound');
  t.equal(writeRange({ ...whole, lower: null }), '(,5)', 'no bound is never included');
  for (const text of ['empty', '', '1,5', '[1,5', '[1,2,3)', '{[1,2),[3,4)}']) {
    t.equal(readRange(text), null, text);
  }
  t.end();
});

t.test('durations', (t) => {
  const parts = { years: 1, months: 2, days: 3, hours: 4, minutes: 5, seconds: 6.5 };
  t.strictSame(readDuration('1 year 2 mons 3 days 04:05:06.5'), parts);
  t.strictSame(readDuration(writeDuration(parts)), parts);
  t.strictSame(readDuration('-1 days +02:03:00'), {
    ...{ years: 0, months: 0, days: -1, hours: 2, minutes: 3, seconds: 0 },
  });
  t.strictSame(readDuration('-00:00:01'), {
    ...{ years: 0, months: 0, days: 0, hours: 0, minutes: 0, seconds: -1 },
  });
  t.equal(readDuration('00:00:00')?.hours, 0);
  for (const text of ['', 'P1Y', 'soon', '3 fortnights', '1 day later']) {
    t.equal(readDuration(text), null, text);
  }
  t.equal(
    writeDuration({ ...parts, years: 0, months: 0, days: 0, hours: 0, minutes: 0, seconds: 0 }),
    '0 seconds',
  );
  t.equal(tellDuration('1 mon 02:00:00', 'en'), '1 mth 2 hr');
  t.equal(tellDuration('infinity', 'en'), null);
  t.end();
});

t.test('entries of lists', (t) => {
  t.strictSame(splitEntries('one, two,,three\nfour\tfive '), [
    'one',
    'two',
    'three',
    'four',
    'five',
  ]);
  t.strictSame(splitEntries('"Doe, John", "a ""b"""'), ['Doe, John', 'a "b"']);
  t.strictSame(splitEntries(' , '), []);
  t.equal(toEntry('12', true), 12);
  t.equal(toEntry('12', false), '12');
  t.equal(toEntry('twelve', true), 'twelve');
  t.end();
});

t.test('texts that are more than texts', (t) => {
  const kind = (field: string, text: string) => valueKind({ field, meta: null }, text);
  t.equal(kind('website', 'https://example.com/a?b=c'), 'link');
  t.equal(kind('website', 'see https://example.com'), null);
  t.equal(kind('website', 'javascript:alert(1)'), null);
  t.equal(kind('email', 'ada@example.com'), 'mail');
  t.equal(kind('remarks', 'ada@example.com'), null, 'only where the name says so, too');
  t.equal(kind('email', 'ada@example.com?bcc=all@example.com'), null);
  t.equal(kind('color', '#ff00aa'), 'colour');
  t.equal(kind('code', '#123456'), null);
  t.equal(kind('colour', 'red'), null);
  t.ok(isPercent({ field: 'discount_percent' }));
  t.notOk(isPercent({ field: 'rate' }), 'which may be anything');
  t.end();
});

t.test('moments near to now', (t) => {
  const now = new Date('2026-05-10T12:00:00Z');
  t.equal(relativeTime('2026-05-10T09:00:00Z', now, 'en'), '3 hours ago');
  t.equal(relativeTime('2026-05-10T11:59:40Z', now, 'en'), 'now');
  t.equal(relativeTime('2026-05-12T12:00:00Z', now, 'de'), 'übermorgen');
  t.equal(relativeTime('2026-04-10T09:00:00Z', now, 'en'), null, 'a far one has a date');
  t.equal(relativeTime('infinity', now, 'en'), null);
  t.end();
});

t.test('stored numbers as they are typed', (t) => {
  t.equal(withComma('12.5', 'de'), '12,5');
  t.equal(withComma('12.5', 'en'), '12.5');
  t.equal(withComma('1e-7', 'de'), '1e-7');
  for (const text of ['12.5', '-0.125', '1234567890.123456789', '7']) {
    t.equal(withPoint(withComma(text, 'de'), 'de'), text, 'and back');
  }
  t.end();
});

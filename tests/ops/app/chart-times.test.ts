// @newest @quick
/** The axis of time charts: round times of the reader's zone as ticks, in the words of the language. */
import t from 'tap';
import { momentOf, roundTimes, timeWriters } from '../../../ops/app/source/chart/times.ts';

const every = (from: string, ms: number, count: number) =>
  Array.from({ length: count }, (_, place) => new Date(Date.parse(from) + place * ms));

t.test('ticks are round and few', async (t) => {
  const minutes = every('2026-03-01T10:03:00', 60_000, 60);
  t.strictSame(
    roundTimes(minutes).map((time) => time.getMinutes()),
    [10, 20, 30, 40, 50, 0],
  );
  const hours = every('2026-03-01T10:00:00', 3_600_000, 24);
  t.strictSame(
    roundTimes(hours).map((time) => time.getHours()),
    [12, 18, 0, 6],
  );
  const days = every('2026-03-01T00:00:00', 86_400_000, 30);
  t.strictSame(
    [...new Set(roundTimes(days).map((time) => time.getDay()))],
    [1],
    'a month has its Mondays',
  );
  t.strictSame(roundTimes([]), []);
  t.strictSame(roundTimes([new Date()]), []);
});

t.test('times are written as exactly as they differ', async (t) => {
  const hours = timeWriters(every('2026-03-01T10:00:00', 3_600_000, 24), 'en-GB');
  t.match(hours.full(new Date('2026-03-01T10:00:00')), /1 Mar 2026.* 10:00/);
  t.equal(hours.short(new Date('2026-03-01T12:00:00')), '12:00');
  t.equal(hours.short(new Date('2026-03-02T00:00:00')), '2 Mar', 'midnight is a day');
  const months = timeWriters([momentOf('2026-01-01'), momentOf('2026-02-01')], 'de-DE');
  t.equal(months.full(momentOf('2026-02-01')), 'Februar 2026');
});

t.test('a date alone is a day of the reader', async (t) => {
  t.strictSame(momentOf('2026-03-01'), new Date(2026, 2, 1));
  t.strictSame(momentOf('2026-03-01T00:00:00Z'), new Date(Date.UTC(2026, 2, 1)));
});

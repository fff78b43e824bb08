// @newest @quick
/** The axis of time charts: round times of the reader's zone as ticks, in the words of the language. */
import t from 'tap';
import { momentOf, roundTimes, timeWriters } from '../../../ops/app/source/chart/times.ts';
import { deviceZone } from '../../../ops/app/source/data/zone.ts';

const ZONE = deviceZone();

const every = (from: string, ms: number, count: number) =>
  Array.from({ length: count }, (_, place) => new Date(Date.parse(from) + place * ms));

t.test('ticks are round and few', async (t) => {
  const minutes = every('2026-03-01T10:03:00', 60_000, 60);
  t.strictSame(
    roundTimes(minutes, ZONE).map((time) => time.getMinutes()),
    [10, 20, 30, 40, 50, 0],
  );
  const hours = every('2026-03-01T10:00:00', 3_600_000, 24);
  t.strictSame(
    roundTimes(hours, ZONE).map((time) => time.getHours()),
    [12, 18, 0, 6],
  );
  const days = every('2026-03-01T00:00:00', 86_400_000, 30);
  t.strictSame(
    [...new Set(roundTimes(days, ZONE).map((time) => time.getDay()))],
    [1],
    'a month has its Mondays',
  );
  t.strictSame(roundTimes([], ZONE), []);
  t.strictSame(roundTimes([new Date()], ZONE), []);
});

t.test('times are written as exactly as they differ', async (t) => {
  const hours = timeWriters(every('2026-03-01T10:00:00', 3_600_000, 24), 'en-GB', ZONE);
  t.match(hours.full(new Date('2026-03-01T10:00:00')), /1 Mar 2026.* 10:00/);
  t.equal(hours.short(new Date('2026-03-01T12:00:00')), '12:00');
  t.equal(hours.short(new Date('2026-03-02T00:00:00')), '2 Mar', 'midnight is a day');
  const months = timeWriters(
    [momentOf('2026-01-01', ZONE), momentOf('2026-02-01', ZONE)],
    'de-DE',
    ZONE,
  );
  t.equal(months.full(momentOf('2026-02-01', ZONE)), 'Februar 2026');
});

t.test('a date alone is a day of the reader', async (t) => {
  t.strictSame(momentOf('2026-03-01', ZONE), new Date(2026, 2, 1));
  t.strictSame(momentOf('2026-03-01T00:00:00Z', ZONE), new Date(Date.UTC(2026, 2, 1)));
});

t.test('the axis is that of another zone', async (t) => {
  const hours = every('2026-03-01T10:00:00Z', 3_600_000, 24);
  const ticks = roundTimes(hours, 'Asia/Kolkata').map((time) => time.toISOString().slice(11, 16));
  t.strictSame(
    ticks,
    ['13:00', '19:00', '01:00', '07:00'],
    'the first full hours after 18:30 there',
  );
  const { short } = timeWriters(hours, 'en-GB', 'Asia/Tokyo');
  t.equal(short(new Date('2026-03-01T15:00:00Z')), '2 Mar', 'its midnight is a day');
  t.strictSame(momentOf('2026-03-01', 'Asia/Tokyo'), new Date('2026-02-28T15:00:00Z'));
});

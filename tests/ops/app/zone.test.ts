// @newest @quick
/** Moments in the time zone of the user, also when its clocks change. */
import t from 'tap';
import { isZone, momentAt, wallTime } from '../../../ops/app/source/data/zone.ts';
import { formatDate } from '../../../ops/app/source/display/format.ts';
import { dayOf, valueOn } from '../../../ops/app/source/views/days.ts';

const BERLIN = 'Europe/Berlin';
const iso = (wall: string, zone: string) => momentAt(wall, zone).toISOString();

t.test('a moment is what clocks of the zone show', async (t) => {
  const moment = new Date('2026-11-14T23:30:15.250Z');
  t.equal(wallTime(moment, 'UTC'), '2026-11-14T23:30:15');
  t.equal(wallTime(moment, BERLIN), '2026-11-15T00:30:15');
  t.equal(wallTime(moment, 'Asia/Kathmandu'), '2026-11-15T05:15:15');
  t.equal(wallTime(moment, 'America/Los_Angeles'), '2026-11-14T15:30:15');
  for (const zone of ['UTC', BERLIN, 'Asia/Kathmandu', 'America/Los_Angeles', 'Pacific/Apia']) {
    const whole = new Date('2026-11-14T23:30:15Z');
    t.strictSame(momentAt(wallTime(whole, zone), zone), whole, `${zone} and back`);
  }
  t.equal(wallTime(new Date('0033-04-03T12:00:00Z'), 'UTC'), '0033-04-03T12:00:00');
});

t.test('clocks go forward', async (t) => {
  t.equal(iso('2026-03-29T01:59:59', BERLIN), '2026-03-29T00:59:59.000Z');
  t.equal(
    iso('2026-03-29T02:30:00', BERLIN),
    '2026-03-29T01:30:00.000Z',
    'a skipped time is later',
  );
  t.equal(iso('2026-03-29T03:00:00', BERLIN), '2026-03-29T01:00:00.000Z');
  t.equal(wallTime(new Date('2026-03-29T01:30:00Z'), BERLIN), '2026-03-29T03:30:00');
});

t.test('clocks go back', async (t) => {
  t.equal(iso('2026-10-25T01:59:00', BERLIN), '2026-10-24T23:59:00.000Z');
  t.equal(iso('2026-10-25T02:30:00', BERLIN), '2026-10-25T00:30:00.000Z', 'the first of two');
  t.equal(iso('2026-10-25T03:00:00', BERLIN), '2026-10-25T02:00:00.000Z');
  t.equal(iso('2026-11-01T01:30:00', 'America/New_York'), '2026-11-01T05:30:00.000Z');
});

t.test('what is no time is none, and unknown zones are told', async (t) => {
  t.ok(Number.isNaN(momentAt('tomorrow', BERLIN).getTime()));
  t.ok(Number.isNaN(momentAt('', BERLIN).getTime()));
  t.ok(isZone(BERLIN));
  t.notOk(isZone('Europe/Atlantis'));
});

t.test('only columns with a zone are in the zone of the user', async (t) => {
  const write = (type: string, text: string, zone: string) => formatDate(type, text, 'en-GB', zone);
  t.match(write('timestamp', '2026-11-14T23:30:00Z', BERLIN), /15 Nov 2026.* 00:30/);
  t.match(write('timestamp', '2026-11-14T23:30:00Z', 'America/New_York'), /14 Nov 2026.* 18:30/);
  t.match(write('dateTime', '2026-11-14T23:30:00', BERLIN), /14 Nov 2026.* 23:30/);
  t.equal(write('date', '2026-11-14', 'America/New_York'), '14 Nov 2026');
  t.equal(write('time', '23:30:00', BERLIN), '23:30');
  t.equal(write('timestamp', 'infinity', BERLIN), 'infinity');
});

t.test('days of a calendar are those of the zone', async (t) => {
  t.equal(dayOf('timestamp', '2026-11-14T23:30:00Z', BERLIN), '2026-11-15');
  t.equal(dayOf('timestamp', '2026-11-14T23:30:00Z', 'UTC'), '2026-11-14');
  t.equal(dayOf('dateTime', '2026-11-14T23:30:00', BERLIN), '2026-11-14');
  t.equal(valueOn('timestamp', '2026-11-15', null, BERLIN), '2026-11-14T23:00:00.000Z');
  // Across the change of the clocks, it stays at the same time of the day.
  const before = '2026-03-28T09:00:00.125Z';
  t.equal(valueOn('timestamp', '2026-03-29', before, BERLIN), '2026-03-29T08:00:00.125Z');
});

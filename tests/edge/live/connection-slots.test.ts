// @quick @newest
/** How many connections may wait for a login where memory is little. */
import t from 'tap';
import { ConnectionSlots } from '#edge/live/connection-slots.ts';

t.test('connections that wait for a login are bounded by memory, too', async (t) => {
  for (const [mostWaiting, kept] of [
    [8, 4],
    [10_000, 50],
  ] as const) {
    const seats = new ConnectionSlots({
      ...{ limit: 1_000, limitName: 'LIMIT', mostWaiting },
      requireRoom: () => undefined,
    });
    let lost = 0;
    for (let n = 0; n < 200; n += 1) {
      seats.wait('10.0.0.1').onLost(() => {
        lost += 1;
      });
    }
    t.equal(200 - lost, kept, `${kept} of one address wait where ${mostWaiting} have memory`);
    seats.wait('10.0.0.2').settle('user:a');
    t.equal(seats.takenBy('user:a'), 1, 'another one gets in');
  }
});

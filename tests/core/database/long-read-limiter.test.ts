import t from 'tap';
import { LongReadLimiter } from '#core/database/long-read-limiter.ts';

interface Look {
  readonly probe: number | null;
  readonly quick?: boolean;
  readonly own?: number;
  /** How long the quick reads take. */
  readonly time?: number;
  /** How many long reads run; as many as may by default. */
  readonly running?: number;
}

/** A bound of at most six, with clocks that the test moves. */
function open() {
  let now = 0;
  let processor = 0;
  const bound = new LongReadLimiter(6, { now: () => now, processor: () => processor });
  /** Adapts the limiter several times, a tenth of a second apart. */
  const look = (times: number, { probe, running, quick = true, own = 0.1, time = 0.2 }: Look) => {
    for (let turn = 0; turn < times; turn += 1) {
      now += 100;
      processor += 100 * own;
      bound.noteLongRead(10);
      if (quick) bound.noteQuickRead(time);
      bound.adapt(probe, running ?? bound.value);
    }
    return bound.value;
  };
  return { bound, look };
}

t.test('long reads have their maximum while quick ones are quick', async (t) => {
  const { look } = open();
  t.equal(look(20, { probe: 0.2 }), 6);
});

t.test('they decrease while quick ones wait, and increase again afterwards', async (t) => {
  const { look } = open();
  look(20, { probe: 0.2 });
  t.equal(look(20, { probe: 9 }), 2, 'two are always allowed');
  const one = look(25, { probe: 0.2 });
  t.ok(one > 2 && one < 6, 'one by one');
  t.equal(look(100, { probe: 0.2 }), 6);
});

t.test('they stay when the process itself delays other reads', async (t) => {
  const { look } = open();
  look(20, { probe: 0.2 });
  t.equal(look(20, { probe: 9, own: 0.9 }), 6);
});

t.test('a distant server is not a busy server', async (t) => {
  const { look } = open();
  t.equal(look(50, { probe: 40 }), 6);
});

t.test('without a probe nothing changes while there are quick reads', async (t) => {
  const { look } = open();
  look(20, { probe: 0.2 });
  look(20, { probe: 9 });
  t.equal(look(50, { probe: null }), 2);
  t.equal(look(100, { probe: null, quick: false }), 6, 'without quick reads, all may run');
});

t.test('quick reads alone do not decrease them', async (t) => {
  const { look } = open();
  look(20, { probe: 0.2 });
  t.equal(look(50, { probe: 9, running: 0 }), 6, 'no long read runs');
  t.equal(look(50, { probe: 9, running: 2 }), 6, 'only the minimum runs');
  t.equal(look(1, { probe: 9, running: 4 }), 3);
});

t.test('without quick reads, all of them soon run again', async (t) => {
  const { look } = open();
  look(20, { probe: 0.2 });
  look(20, { probe: 9 });
  t.equal(look(19, { probe: 9, quick: false }), 2, 'there may be quick reads again');
  t.equal(look(6, { probe: null, quick: false }), 6);
});

t.test('when all reads take about the same time, no read is protected', async (t) => {
  const { look } = open();
  t.equal(look(20, { probe: 0.2, time: 6 }), 6);
  t.equal(look(20, { probe: 9, time: 6 }), 6);
  t.equal(look(20, { probe: 9, time: 1 }), 2);
});

t.test('it reports the delay of every read', async (t) => {
  const { bound, look } = open();
  t.equal(bound.delay, 0);
  look(20, { probe: 0.2 });
  t.equal(bound.delay, 0);
  look(20, { probe: 10 });
  t.ok(bound.delay > 9 && bound.delay < 10, `${bound.delay} ms`);
  look(20, { probe: 0.2 });
  t.ok(bound.delay < 1, `${bound.delay} ms`);
});

t.test('it probes while there are reads, and protects quick ones', async (t) => {
  const { bound, look } = open();
  t.notOk(bound.needsProbe);
  look(25, { probe: 0.2, quick: false });
  t.same([bound.needsProbe, bound.protects], [true, false]);
  look(20, { probe: 10, quick: false });
  t.ok(bound.delay > 9, 'long reads do not hide that all reads wait');
  t.equal(look(1, { probe: 10, time: 6 }), 6);
  t.same([bound.needsProbe, bound.protects], [true, false], 'it takes as long as the other reads');
  look(1, { probe: 0.2 });
  t.same([bound.needsProbe, bound.protects], [true, true]);
});

import t from 'tap';
import { ReadLoad } from '#core/database/read-load.ts';

interface Look {
  readonly probe: number | null;
  readonly quick?: boolean;
  /** How long the quick reads take. */
  readonly time?: number;
}

/** A load with a clock that the test moves. */
function open() {
  let now = 0;
  const load = new ReadLoad(() => now);
  /** Reads and probes several times, a tenth of a second apart. */
  const look = (times: number, { probe, quick = true, time = 0.2 }: Look) => {
    for (let turn = 0; turn < times; turn += 1) {
      now += 100;
      load.noteLongRead(10);
      if (quick) load.noteQuickRead(time);
      if (probe !== null) load.noteProbe(probe);
    }
    return load.protects;
  };
  return { load, look };
}

t.test('quick reads are protected as long as there are any', async (t) => {
  const { look } = open();
  t.equal(look(20, { probe: 0.2 }), true);
  t.equal(look(19, { probe: 9, quick: false }), true, 'there may be quick reads again');
  t.equal(look(1, { probe: null, quick: false }), false, 'soon all long reads may run again');
});

t.test('when all reads take about the same time, no read is protected', async (t) => {
  const { look } = open();
  t.equal(look(20, { probe: 0.2, time: 6 }), false);
  t.equal(look(20, { probe: 9, time: 6 }), false);
  t.equal(look(20, { probe: 9, time: 1 }), true);
});

t.test('it reports the delay of every read', async (t) => {
  const { load, look } = open();
  t.equal(load.delay, 0);
  look(20, { probe: 0.2 });
  t.equal(load.delay, 0);
  look(20, { probe: 10 });
  t.ok(load.delay > 9 && load.delay < 10, `${load.delay} ms`);
  look(20, { probe: 0.2 });
  t.ok(load.delay < 1, `${load.delay} ms`);
});

t.test('a distant server is not a busy server', async (t) => {
  const { load, look } = open();
  look(50, { probe: 40 });
  t.ok(load.delay < 1, `${load.delay} ms`);
});

t.test('it wants probes while there are reads', async (t) => {
  const { load, look } = open();
  t.notOk(load.needsProbe);
  look(25, { probe: 0.2, quick: false });
  t.same([load.needsProbe, load.protects], [true, false]);
  look(20, { probe: 10, quick: false });
  t.ok(load.delay > 9, 'long reads do not hide that all reads wait');
  look(1, { probe: 0.2 });
  t.same([load.needsProbe, load.protects], [true, true]);
});

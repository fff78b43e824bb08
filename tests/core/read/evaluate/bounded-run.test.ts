// @newest @quick

import { createContext } from 'node:vm';
import t from 'tap';
import { runBounded } from '#core/read/evaluate/bounded-run.ts';

const TIMEOUT = { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' };

/** A context with a function that blocks its thread, idle, for a given number of calls. */
function pausing(pauses: number) {
  const state = { left: pauses };
  const pause = () => {
    if (state.left === 0) return;
    state.left -= 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  };
  return { state, context: createContext({ pause }) };
}

t.test('time without the processor is not counted', async (t) => {
  const { state, context } = pausing(2);
  t.equal(runBounded('pause(); 7', context, 100), 7);
  t.equal(state.left, 0);
});

t.test('a script without processor time is stopped', async (t) => {
  const { state, context } = pausing(50);
  t.throws(() => runBounded('pause(); 7', context, 100), TIMEOUT);
  t.equal(state.left, 45);
});

t.test('a slow script is stopped, and a failed one is not repeated', async (t) => {
  const { context } = pausing(0);
  t.throws(() => runBounded('for (;;);', context, 100), TIMEOUT);
  t.throws(() => runBounded('throw new RangeError("once")', context, 100), /once/);
});

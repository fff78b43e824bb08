/**
 * Loaded before a process that is measured: tells how long its event loop was blocked at most since
 * the question before. It costs nothing until it is asked for the first time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const MILLISECOND = 1e6;

const delays = monitorEventLoopDelay({ resolution: 1 });
process.on('message', (question: { readonly type: string }) => {
  if (question.type !== 'longest block') return;
  process.send?.({ type: 'longest block', ms: delays.max / MILLISECOND });
  delays.reset();
  delays.enable();
});

/**
 * Loaded into a measured process: reports how long its event loop was blocked at most since the
 * last request. It costs nothing before the first one.
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

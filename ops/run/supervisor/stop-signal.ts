/** The signals with which an operator requests a stop, and a faster stop. */

/**
 * One Ctrl-C can arrive twice: from the terminal, and through npm. A second signal counts only when
 * it arrives at least this many milliseconds later.
 */
const SAME_WISH_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupt {
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  /** Aborted by the second one. */
  readonly hasten: AbortSignal;
  /** Resolves with the first signal. */
  readonly stopped: Promise<void>;
}

/** Listens for the signals that end a process, as long as this process runs. */
export function listenForInterrupt(): Interrupt {
  const stop = new AbortController();
  const hasten = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let first = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!stop.signal.aborted) {
        first = Date.now();
        stop.abort();
        stopped.resolve();
      } else if (Date.now() - first >= SAME_WISH_MS) {
        hasten.abort();
      }
    });
  }
  return { stop: stop.signal, hasten: hasten.signal, stopped: stopped.promise };
}

/** A set of listeners; one that throws does not affect the others. */
import type { Log } from '#core/base/log/log.ts';

export class Listeners<T> {
  readonly #log: Log;
  readonly #handlers = new Set<(value: T) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener until the returned function is called. */
  add(handler: (value: T) => void): () => void {
    const entry = (value: T) => handler(value);
    this.#handlers.add(entry);
    return () => {
      this.#handlers.delete(entry);
    };
  }

  tell(value: T): void {
    for (const handler of this.#handlers) {
      try {
        handler(value);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the catalog failed');
      }
    }
  }
}

/** The subscriptions of this process by topic. The two buses implement the transport. */
import type { Log } from '#core/base/log/log.ts';
import { decode, type Messages, type Topic } from './topic.ts';

type Handlers = { readonly [T in Topic]: Set<(message: Messages[T]) => void> };

export class Subscriptions {
  readonly #log: Log;
  readonly #handlers: Handlers = {
    'job.finished': new Set(),
    'job.progress': new Set(),
    'job.cancel': new Set(),
    'catalog.changed': new Set(),
    'access.changed': new Set(),
    'schema.altered': new Set(),
    'items.changed': new Set(),
  };

  readonly #resumed = new Set<() => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener for {@link resume}. */
  onResumed(handler: () => void): () => void {
    const entry = () => handler();
    this.#resumed.add(entry);
    return () => {
      this.#resumed.delete(entry);
    };
  }

  /** Reports that messages arrive again, and that some may be lost. Never throws. */
  resume(): void {
    for (const handler of this.#resumed) {
      try {
        handler();
      } catch (error) {
        this.#log.error({ err: error }, 'a subscriber failed');
      }
    }
  }

  add<T extends Topic>(topic: T, handler: (message: Messages[T]) => void): () => void {
    // A separate entry, so that one function can subscribe twice and end each subscription
    // separately.
    const entry = (message: Messages[T]) => handler(message);
    this.#handlers[topic].add(entry);
    return () => {
      this.#handlers[topic].delete(entry);
    };
  }

  /** Passes a text from the channel to its subscribers. Never throws. */
  dispatch(text: string): void {
    try {
      decode(
        text,
        (topic) => this.#handlers[topic].size > 0,
        (topic, message) => this.#deliver(topic, message),
      );
    } catch (error) {
      this.#log.warn({ err: error, bytes: text.length }, 'ignored a malformed message');
    }
  }

  #deliver<T extends Topic>(topic: T, message: Messages[T]): void {
    for (const handler of this.#handlers[topic]) {
      try {
        handler(message);
      } catch (error) {
        this.#log.error({ err: error, topic }, 'a subscriber failed');
      }
    }
  }
}

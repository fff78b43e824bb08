/**
 * Messages between the processes of a cluster: small references, never content, delivered at most
 * once. The database is authoritative; a message only makes propagation faster.
 */
import type { Messages, Topic } from './topic.ts';

export type { JobProgress, Messages, Sender, Topic } from './topic.ts';

/** The interface; implemented with NOTIFY and with Redis pub/sub, tested by the same suite. */
export interface MessageBus {
  /** Publishes to every process, including this one. Rejects when the message could not be sent. */
  publish<T extends Topic>(topic: T, message: Messages[T]): Promise<void>;
  /** Subscribes to a topic until the returned function is called. */
  subscribe<T extends Topic>(topic: T, handler: (message: Messages[T]) => void): () => void;
  /**
   * Calls the listener when messages arrive again after a lost connection, until the returned
   * function is called. Some messages may never arrive.
   */
  onResumed(handler: () => void): () => void;
  /** Milliseconds since the connection last worked; 0 while it works. */
  silence(): number;
  close(): Promise<void>;
}

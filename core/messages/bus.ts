/**
 * Messages between the processes of a cluster: small references, never content, delivered at most
 * once. Whoever needs certainty reads the database; a message only makes that reading prompt.
 */
import type { Messages, Topic } from './topic.ts';

export type { JobProgress, Messages, Topic } from './topic.ts';

/** The port; PostgreSQL's NOTIFY and Redis's pub/sub stand behind it, with one conformance suite. */
export interface MessageBus {
  /** Sends to every process, this one included. Rejects when the message could not be handed over. */
  publish<T extends Topic>(topic: T, message: Messages[T]): Promise<void>;
  /** Hears a topic until the returned function is called. */
  subscribe<T extends Topic>(topic: T, handler: (message: Messages[T]) => void): () => void;
  /** Milliseconds since the connection was last known to work; 0 while it works. */
  silence(): number;
  close(): Promise<void>;
}

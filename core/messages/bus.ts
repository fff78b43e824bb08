/**
 * Messages between the processes of a cluster: small references, never content, delivered at most
 * once. Whoever needs certainty reads the database; a message only makes that reading prompt.
 */

/** Progress of a job in rows and bytes; percent is 0 to 100, null when the total is unknown. */
export interface JobProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly percent: number | null;
}

/** Every topic and what its messages hold. */
export interface Messages {
  'job.finished': { readonly id: string };
  'job.progress': { readonly id: string; readonly progress: JobProgress };
  'job.cancel': { readonly id: string };
  'catalog.changed': { readonly version: number };
  'access.changed': { readonly version: number };
}

export type Topic = keyof Messages;

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

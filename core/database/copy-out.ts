/**
 * Reads the rows of COPY … TO STDOUT in blocks, with backpressure. pg-copy-streams reads the socket
 * itself, which the guard of our connections does not allow.
 */
import type pg from 'pg';

/** The size of a block in bytes. */
const BLOCK = 256 * 1024;
/** The maximum number of buffered bytes before the connection is paused. */
const MOST_WAITING = 4 * BLOCK;

/** The driver's connection and its messages, which its type declarations lack. */
interface Wire {
  query(text: string): void;
  readonly stream: { pause(): void; resume(): void };
}

function isWire(connection: object): connection is Wire {
  return 'query' in connection && 'stream' in connection;
}

/** A COPY as an entry of the driver's statement queue. The driver calls the `handle` methods. */
class CopyOut implements pg.Submittable {
  /** The number of received rows; the server sends each in a separate message. */
  rows = 0;
  readonly #text: string;
  readonly #blocks: Buffer[] = [];
  #block = Buffer.allocUnsafe(BLOCK);
  #used = 0;
  #waiting = 0;
  #wire: Wire | null = null;
  #over = false;
  #abandoned = false;
  #failure: unknown;
  #wake: (() => void) | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  submit(connection: pg.Connection): void {
    if (!isWire(connection)) throw new TypeError('the driver has another kind of connection');
    this.#wire = connection;
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#abandoned) return;
    this.rows += 1;
    if (chunk.length > BLOCK - this.#used) this.#giveOut();
    // The driver reuses the memory of the chunk.
    if (chunk.length > BLOCK) this.#push(Buffer.from(chunk));
    else this.#used += chunk.copy(this.#block, this.#used);
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.#failure = error;
    this.#end();
  }

  handleReadyForQuery(): void {
    this.#end();
  }

  /** The next bytes; null at the end. @throws PostgreSQL's error */
  async next(): Promise<Buffer | null> {
    while (this.#blocks.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#over) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const block = this.#blocks.shift() ?? null;
    this.#waiting -= block?.length ?? 0;
    if (this.#waiting < MOST_WAITING) this.#wire?.stream.resume();
    return block;
  }

  /** Discards the remaining rows. */
  abandon(): void {
    this.#abandoned = true;
    this.#blocks.length = 0;
    this.#wire?.stream.resume();
  }

  #giveOut(): void {
    if (this.#used === 0) return;
    this.#push(this.#block.subarray(0, this.#used));
    this.#block = Buffer.allocUnsafe(BLOCK);
    this.#used = 0;
  }

  #push(block: Buffer): void {
    this.#waiting += block.length;
    this.#blocks.push(block);
    if (this.#waiting >= MOST_WAITING) this.#wire?.stream.pause();
    this.#wake?.();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#giveOut();
    this.#wake?.();
  }
}

/** Some rows of a COPY. */
export interface CopiedRows {
  readonly bytes: Buffer;
  /** The number of rows received so far. */
  readonly rows: number;
}

/**
 * The rows of a COPY in blocks. Leaving the loop early does not stop the statement: the caller must
 * end the connection.
 */
export async function* copyOut(client: pg.ClientBase, text: string): AsyncGenerator<CopiedRows> {
  const copy = client.query(new CopyOut(text));
  try {
    for (let bytes = await copy.next(); bytes !== null; bytes = await copy.next()) {
      yield { bytes, rows: copy.rows };
    }
  } finally {
    copy.abandon();
  }
}

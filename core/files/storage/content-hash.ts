/**
 * Computes the SHA-256 of large content while it is stored. A thread computes it, so that receiving
 * and hashing use two processors.
 */
import { Worker } from 'node:worker_threads';

/** The messages to the thread. */
export type HashTask =
  | {
      readonly kind: 'update';
      readonly id: number;
      readonly memory: SharedArrayBuffer;
      /** The number of bytes from the beginning of the memory. */
      readonly bytes: number;
    }
  | { readonly kind: 'end' | 'forget'; readonly id: number };

/**
 * The thread answers each task in order: `end` with the digest in hexadecimal, the others with
 * null.
 */
export type HashAnswer = string | null;

/** Milliseconds after which the idle thread ends. */
const IDLE_MS = 10_000;

/** A thread that hashes all files of the process. */
class HashThread {
  readonly #worker = new Worker(new URL('./hash-thread.ts', import.meta.url));
  /** In the order of the tasks. */
  readonly #waiting: PromiseWithResolvers<HashAnswer>[] = [];
  #idle: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answer: HashAnswer) => {
      this.#waiting.shift()?.resolve(answer);
      if (this.#waiting.length === 0) this.#rest();
    });
    let failure = new Error('The thread that hashes files ended.');
    this.#worker.on('error', (error) => {
      failure = error;
    });
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      for (const waiting of this.#waiting.splice(0)) waiting.reject(failure);
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  ask(task: HashTask): Promise<HashAnswer> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    const waiting = Promise.withResolvers<HashAnswer>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(task);
    return waiting.promise;
  }

  #rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => {
      this.#hasEnded = true;
      void this.#worker.terminate();
    }, IDLE_MS);
    this.#idle.unref();
  }
}

let thread: HashThread | null = null;
let last = 0;

/** The SHA-256 of one file. */
export class ContentHash {
  readonly #thread: HashThread;
  readonly #id: number;

  constructor() {
    if (thread === null || thread.hasEnded) thread = new HashThread();
    this.#thread = thread;
    last += 1;
    this.#id = last;
  }

  /** Adds the beginning of a memory, which must not change until this resolves. */
  async update(memory: SharedArrayBuffer, bytes: number): Promise<void> {
    await this.#thread.ask({ kind: 'update', id: this.#id, memory, bytes });
  }

  /** @returns the hash in hexadecimal */
  async digest(): Promise<string> {
    const digest = await this.#thread.ask({ kind: 'end', id: this.#id });
    if (digest === null) throw new Error('The thread returned no hash.');
    return digest;
  }

  /** Drops the hash of an abandoned file. */
  forget(): void {
    this.#thread.ask({ kind: 'forget', id: this.#id }).catch(() => undefined);
  }
}

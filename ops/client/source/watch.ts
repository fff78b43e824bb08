/** Ends a call when its signal says so, or when nothing moves for too long. */
import { NetworkError, SluiceError, TimeoutError } from './errors.ts';

/** Waits for what others wait for, too. @throws the reason of the signal when that comes first */
export function unlessAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return awaited;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    awaited.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The statuses of answers without a body (Fetch, null body status). */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeout: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);

  /** @throws the reason of a signal that is aborted already */
  constructor(outer: AbortSignal | undefined, timeout: number) {
    outer?.throwIfAborted();
    this.#outer = outer;
    this.#timeout = timeout;
    outer?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something moved, or is awaited from now on. */
  await(): void {
    clearTimeout(this.#timer);
    if (this.#timeout > 0) {
      const end = () => this.#controller.abort(new TimeoutError(this.#timeout));
      this.#timer = setTimeout(end, this.#timeout);
    }
  }

  /** Nothing is awaited for now. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.rest();
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  /** What a failure of the connection means: the reason of an abortion, or that of the network. */
  reason(failure: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason;
    if (failure instanceof SluiceError) return failure;
    const told = failure instanceof Error ? failure.message : String(failure);
    return new NetworkError(`The connection failed: ${told}`, failure);
  }

  /** The same answer, whose body is watched while it is read. */
  over(response: Response): Response {
    // Until the body is asked for, whoever reads it is slow, not the network.
    this.rest();
    // Chromium has a body for answers that cannot have one, and makes no answer with it.
    const reader = NO_BODY.has(response.status) ? undefined : response.body?.getReader();
    if (!reader) {
      this.end();
      return response;
    }
    const pull = async (stream: ReadableStreamDefaultController<Uint8Array>) => {
      this.await();
      try {
        const { done, value } = await reader.read();
        this.rest();
        if (!done) return stream.enqueue(value);
        this.end();
        stream.close();
      } catch (failure) {
        this.end();
        stream.error(this.reason(failure));
      }
    };
    const cancel = (reason: unknown) => {
      this.end();
      return reader.cancel(reason);
    };
    const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }
}

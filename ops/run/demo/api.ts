/** A client of the API with common techniques: fetch, a token, and error messages. */
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';

const errorBody = v.object({ errors: v.array(v.object({ message: v.string() })) });

/** The kind of server at an address. */
export type Listener = 'sluice' | 'other' | 'none';

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

export async function whoListens(url: string, signal: AbortSignal): Promise<Listener> {
  try {
    const response = await fetch(`${url}/server/ping`, { signal });
    return (await response.text()) === 'pong' ? 'sluice' : 'other';
  } catch (error) {
    if (signal.aborted) throw error;
    return isRefused(error) ? 'none' : 'other';
  }
}

export interface ApiOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

export class Api {
  readonly url: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  constructor({ url, token, signal }: ApiOptions) {
    this.url = url;
    this.#token = token;
    this.#signal = signal;
  }

  /** Sends a request; any response is accepted. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.#token}`);
    const response = await fetch(this.url + path, { ...init, headers, signal: this.#signal });
    if (response.status === 401) {
      await response.body?.cancel();
      throw new SetupError(
        `ADMIN_TOKEN: the Sluice at ${this.url} does not know this token; set it to the token of an administrator, ` +
          'or DATA_DIR to the folder of that Sluice',
      );
    }
    return response;
  }

  /**
   * Sends a request that must succeed.
   * @throws {SetupError} with the messages of the server's errors
   */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.send(path, init);
    if (response.ok) return response;
    const text = await response.text();
    throw new SetupError(
      `${init.method ?? 'GET'} ${path} was answered with ${response.status}: ${messagesOf(text)}`,
    );
  }

  /** The JSON response of a GET. */
  async get(path: string): Promise<unknown> {
    return (await this.request(path)).json();
  }
}

function messagesOf(text: string): string {
  try {
    const { errors } = v.parse(errorBody, JSON.parse(text));
    return errors.map((error) => error.message).join(' ');
  } catch {
    return text.slice(0, 500);
  }
}

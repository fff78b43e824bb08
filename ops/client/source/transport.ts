/** Sends requests and reads answers: one place for tokens, repetitions, time-outs and errors. */
import { entriesOf, errorOf, NetworkError, SluiceError, strangeEntry } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { parametersOf } from './query.ts';
import { isRepeatable, pause, pauseAfter, retryAfterOf } from './retry.ts';
import { unlessAborted, Watch } from './watch.ts';

/** Sends a request by some way, of which it tells the watch that it goes on. */
export type Sender = (
  url: string,
  init: RequestInit,
  watch: Watch,
  fetch: typeof globalThis.fetch,
) => Promise<Response>;

export interface RequestOptions extends CallOptions {
  /** Parameters of the URL; objects are written as JSON, lists with commas. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON, unless it is something that `fetch` sends. */
  readonly body?: unknown;
  /** Whether the request may be repeated; by its method and headers when not given. */
  readonly repeat?: boolean | undefined;
  /** `false`: without a token, and without a refresh of one. */
  readonly signed?: boolean | undefined;
  /** `false`: a 401 says nothing about the token. */
  readonly renew?: boolean | undefined;
  /** Statuses that are answers here, and no errors. */
  readonly accept?: readonly number[] | undefined;
  /** Sends a request in the place of `fetch`, such as one that tells its progress. */
  readonly send?: Sender | undefined;
}

/** Who signs the requests of a transport. */
export interface Signer {
  readonly cookies: 'omit' | 'include';
  /** The access token for a request, refreshed when it is about to end; null for none. */
  token(): Promise<string | null>;
  /** Whether a request with that token may be sent again, after it was refused with the error. */
  renewed(token: string | null, refusal: SluiceError): Promise<boolean>;
}

/** An answer whose body is read. */
export interface Answer<T> {
  readonly body: T;
  readonly status: number;
  readonly headers: Headers;
}

export interface Transport {
  readonly url: string;
  readonly options: ClientOptions;
  /** Set by the session, which sends its own requests by the transport. */
  signer: Signer | null;
  /** Sends a request and yields the answer, whose body is still to be read. */
  open(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** Sends a request and yields the whole body: an object of JSON, a text, or null. */
  answer<T>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
  /** As {@link answer}, but yields what stands in `data`, where the API puts it there. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
}

function isSendable(body: unknown): body is NonNullable<RequestInit['body']> {
  return (
    typeof body === 'string' ||
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof URLSearchParams ||
    body instanceof ReadableStream ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body)
  );
}

const isJson = (headers: Headers) =>
  /^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '');

async function refusal(response: Response): Promise<SluiceError> {
  const text = await response.text();
  let errors = [strangeEntry(response.status)];
  if (isJson(response.headers)) {
    try {
      const told = entriesOf(JSON.parse(text));
      if (told.length > 0) errors = told;
    } catch {
      // What is no JSON is an answer of something else.
    }
  }
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  return errorOf({ status, errors, requestId, retryAfter: retryAfterOf(headers) });
}

/** Reads a whole body; @throws NetworkError when JSON is cut off */
async function bodyOf(response: Response) {
  const text = await response.text();
  if (!isJson(response.headers)) return text === '' ? null : text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NetworkError('The answer is no JSON.', error);
  }
}

interface Enveloped<T> {
  readonly data: T;
}

function isEnveloped<T>(body: Enveloped<T> | T): body is Enveloped<T> {
  return typeof body === 'object' && body !== null && 'data' in body;
}

export function createTransport(url: string, options: ClientOptions = {}): Transport {
  const base = String(url).replace(/\/+$/, '');
  const fetch = options.fetch ?? globalThis.fetch;

  function requestOf(method: string, token: string | null, given: RequestOptions): RequestInit {
    const headers = new Headers(options.headers);
    for (const [name, value] of Object.entries(given.headers ?? {})) headers.set(name, value);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const credentials = transport.signer?.cookies ?? 'omit';
    const { body } = given;
    if (body === undefined) return { method, headers, credentials };
    if (isSendable(body)) return { method, headers, credentials, body };
    headers.set('content-type', 'application/json');
    return { method, headers, credentials, body: JSON.stringify(body) };
  }

  async function once(
    method: string,
    path: string,
    given: RequestOptions,
    token: string | null,
  ): Promise<Response> {
    const parameters = parametersOf(given.query ?? {});
    const target = `${base}${path}${parameters && `?${parameters}`}`;
    const watch = new Watch(given.signal, given.timeout ?? options.timeout ?? 60_000);
    watch.await();
    try {
      const init = { ...requestOf(method, token, given), signal: watch.signal };
      const sent = given.send ? given.send(target, init, watch, fetch) : fetch(target, init);
      const response = watch.over(await sent);
      if (response.status < 400 || given.accept?.includes(response.status)) return response;
      throw await refusal(response);
    } catch (failure) {
      watch.end();
      throw watch.reason(failure);
    }
  }

  /** Tries until it succeeds or may not be tried again; `read` is part of what is tried. */
  async function attempt<T>(
    method: string,
    path: string,
    given: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signer } = transport;
    const headers = new Headers(given.headers);
    const repeats = given.repeat ?? isRepeatable(method, headers);
    const retry = (repeats && options.retry !== false && options.retry) || {};
    const signed = given.signed !== false && !headers.has('authorization');
    let renewed = !signed || given.renew === false;
    for (let tries = 1; ; tries += 1) {
      let token: string | null = null;
      try {
        if (signed && signer) token = await unlessAborted(signer.token(), given.signal);
        // Without a session there is still the token that is never refreshed.
        else if (signed) token = options.token ?? null;
        return await read(await once(method, path, given, token));
      } catch (failure) {
        if (failure instanceof SluiceError && failure.status === 401 && !renewed) {
          renewed = true;
          if (await signer?.renewed(token, failure)) continue;
        }
        const wait = repeats && options.retry !== false ? pauseAfter(failure, tries, retry) : null;
        if (wait === null) throw failure;
        await pause(wait, given.signal);
      }
    }
  }

  const transport: Transport = {
    url: base,
    options,
    signer: null,
    open: (method, path, given = {}) =>
      attempt(method, path, given, (response) => Promise.resolve(response)),
    answer: (method, path, given = {}) =>
      attempt(method, path, given, async (response) => ({
        body: await bodyOf(response),
        status: response.status,
        headers: response.headers,
      })),
    async request<T>(method: string, path: string, given?: RequestOptions) {
      const { body } = await transport.answer<Enveloped<T> | T>(method, path, given);
      return isEnveloped(body) ? body.data : body;
    },
  };
  return transport;
}

/** Sends forms with files, and tells how far they are. */
import { inBrowser, uploadRequest } from './environment.ts';
import type { Watch } from './watch.ts';

/** Bytes of a file; what is no `Blob`, text or buffer is read while it is sent, and only once. */
export type Content = Blob | string | ArrayBuffer | ArrayBufferView | AsyncIterable<Uint8Array>;

/** A file, as browsers have it, or content with a name. */
export type FileInput =
  | File
  | { readonly name: string; readonly content: Content; readonly type?: string };

export interface UploadProgress {
  /** Bytes that are sent, with those of the form around the file. */
  readonly bytes: number;
  /** Null where the length is not known before the end. */
  readonly total: number | null;
}

/** A file with its parts at the same places. */
export interface NamedContent {
  readonly name: string;
  readonly content: Content;
  readonly type: string;
}

export function namedContent(file: FileInput): NamedContent {
  if ('content' in file) return { type: '', ...file };
  return { name: file.name, content: file, type: file.type };
}

type Chunk = Exclude<Content, ArrayBufferView> | Uint8Array<ArrayBuffer>;
type Piece = Exclude<Chunk, AsyncIterable<Uint8Array>>;

function isPiece(content: Content): content is Exclude<Content, AsyncIterable<Uint8Array>> {
  return (
    typeof content === 'string' || content instanceof Blob || !(Symbol.asyncIterator in content)
  );
}

/** A body for `fetch`, with what belongs to it. */
export interface Form {
  readonly body: Blob | ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Escapes a name as browsers do. */
function quoted(name: string): string {
  return `"${name.replace(/\r?\n|\r/g, '%0D%0A').replace(/"/g, '%22')}"`;
}

/** A form of `multipart/form-data`: texts, and files after those texts that are about them. */
export async function formOf(
  parts: readonly (readonly [name: string, value: string | NamedContent])[],
): Promise<Form> {
  const boundary = `sluice-${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;
  const pieces: Content[] = [];
  for (const [name, value] of parts) {
    const about = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`;
    if (typeof value === 'string') pieces.push(`${about}\r\n\r\n${value}\r\n`);
    else {
      const type = value.type || 'application/octet-stream';
      pieces.push(`${about}; filename=${quoted(value.name)}\r\nContent-Type: ${type}\r\n\r\n`);
      pieces.push(value.content, '\r\n');
    }
  }
  pieces.push(`--${boundary}--\r\n`);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const body = await bodyOf(pieces);
  return { body, headers };
}

async function bodyOf(pieces: readonly Content[]): Promise<Form['body']> {
  if (pieces.every(isPiece)) return new Blob(pieces.map(plain));
  const stream = streamOf(pieces);
  // Browsers send no streams over HTTP/1.1.
  return inBrowser ? new Response(stream).blob() : stream;
}

/** A view of shared memory is copied, as a `Blob` takes none. */
function plain(content: Exclude<Content, AsyncIterable<Uint8Array>>): Piece {
  if (!ArrayBuffer.isView(content)) return content;
  const copy = new Uint8Array(content.byteLength);
  copy.set(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
  return copy;
}

function streamOf(pieces: readonly Content[]): ReadableStream<Uint8Array> {
  const all = (async function* () {
    for (const piece of pieces) {
      if (isPiece(piece)) yield new Uint8Array(await new Blob([plain(piece)]).arrayBuffer());
      else yield* piece;
    }
  })();
  return fromChunks(all);
}

function fromChunks(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(stream) {
      const { done, value } = await chunks.next();
      if (done) stream.close();
      else stream.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

type Tell = ((progress: UploadProgress) => void) | undefined;

/**
 * Sends a body in the place of `fetch`, so that each piece that leaves counts as a sign of life, and
 * is told.
 */
export function sending(tell: Tell) {
  return (
    url: string,
    init: RequestInit,
    watch: Watch,
    fetch: typeof globalThis.fetch,
  ): Promise<Response> => {
    const request = fetch === globalThis.fetch ? uploadRequest() : null;
    if (request) return sendByRequest(request, url, init, { watch, tell });
    return sendAsStream(url, init, watch, { fetch, tell });
  };
}

async function* counted(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
      // It is asked for the next piece when the connection has taken the one before.
      bytes += value.length;
      watch.await();
      tell(bytes);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function sendAsStream(
  url: string,
  init: RequestInit,
  watch: Watch,
  { fetch, tell }: { readonly fetch: typeof globalThis.fetch; readonly tell: Tell },
): Promise<Response> {
  const { body } = init;
  const total = body instanceof Blob ? body.size : null;
  const stream = body instanceof Blob ? body.stream() : body;
  if (!(stream instanceof ReadableStream)) return fetch(url, init);
  const headers = new Headers(init.headers);
  if (total !== null) headers.set('content-length', String(total));
  const watched = fromChunks(counted(stream, watch, (bytes) => tell?.({ bytes, total })));
  const streaming = { ...init, headers, body: watched, duplex: 'half' as const };
  return fetch(url, streaming);
}

function headersOf(text: string): Headers {
  const headers = new Headers();
  for (const line of text.trim().split(/[\r\n]+/)) {
    const [name = '', ...value] = line.split(':');
    if (name) headers.append(name, value.join(':').trim());
  }
  return headers;
}

interface Loaded {
  readonly loaded: number;
  readonly total: number;
}

/** `fetch` of browsers does not tell how much of a body is sent; `XMLHttpRequest` does. */
function sendByRequest(
  request: NonNullable<ReturnType<typeof uploadRequest>>,
  url: string,
  init: RequestInit,
  { watch, tell }: { readonly watch: Watch; readonly tell: Tell },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.open(init.method ?? 'POST', url);
    request.responseType = 'blob';
    request.withCredentials = init.credentials === 'include';
    new Headers(init.headers).forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    request.upload.onprogress = ({ loaded: bytes, total }: Loaded) => {
      watch.await();
      tell?.({ bytes, total });
    };
    request.onerror = () => reject(new TypeError('The upload failed.'));
    request.onload = () => {
      const { status } = request;
      const body = status === 204 ? null : request.response;
      resolve(new Response(body, { status, headers: headersOf(request.getAllResponseHeaders()) }));
    };
    watch.signal.addEventListener('abort', () => {
      request.abort();
      reject(watch.signal.reason);
    });
    request.send(init.body instanceof Blob ? init.body : null);
  });
}

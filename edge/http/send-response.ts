/**
 * Writes responses to the socket. Every write is corked, because each uncorked write is a system
 * call. Bytes are written only after the whole head is validated.
 */
import { STATUS_CODES } from 'node:http';
import { AnswerWriter, orDisconnected } from './answer-writer.ts';
import { compressedPieces } from './compressed-chunks.ts';
import {
  COMPRESSED_MIN,
  type Coding,
  codingFor,
  compress,
  hasRoom,
  isCompressible,
} from './compression.ts';
import { entityTag, namesTag, TAG_MAX_LENGTH } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import type { Pieces, Response } from './response.ts';
import { ownHeader } from './response-header.ts';

/**
 * Maximum length of a body, in bytes or characters, that is passed to the library at once. The
 * library buffers the unsent rest, and closes the connection when the client reads too slowly.
 * Longer bodies count against their holder while the client reads them.
 */
const AT_ONCE = 65_536;

const statusLines = new Map<number, string>();
for (const [status, text] of Object.entries(STATUS_CODES)) {
  statusLines.set(Number(status), `${status} ${text}`);
}

function writeHead(exchange: Exchange, status: number, block: string): void {
  exchange.answered = true;
  const { socket, id, added } = exchange;
  if (status !== 200) socket.writeStatus(statusLines.get(status) ?? String(status));
  socket.writeHeader('X-Request-Id', `${id}\r\n${block}${added}`);
}

/**
 * Ends a response that has no body. The library's arguments for a length and for closing do not
 * work here, because it would wait for that many bytes. So a header requests the client to close.
 */
function endWithoutBody(exchange: Exchange, status: number, block: string, close: boolean): void {
  const { socket } = exchange;
  socket.cork(() => {
    writeHead(exchange, status, close ? `${block}\r\nConnection: close` : block);
    socket.endWithoutBody();
  });
}

function sizeOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** The entity tag of a response; null when it has none. */
function tagOf(exchange: Exchange, response: Response, body: string | Uint8Array): string | null {
  const { method } = exchange;
  if (response.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return null;
  const own = ownHeader(response.headers, 'etag');
  if (own !== undefined) return own;
  if (body.length === 0 || body.length > TAG_MAX_LENGTH) return null;
  const type = ownHeader(response.headers, 'content-type');
  return type === undefined || /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
    ? entityTag(body)
    : null;
}

/** The head of a complete response, and whether the connection closes afterwards. */
interface Head {
  readonly status: number;
  readonly block: string;
  /** 204 or 304: there is not even an empty body. */
  readonly bodiless: boolean;
  /** Close the connection afterwards. */
  readonly closing: boolean;
}

/** The coding for a body that is long enough to be compressed; null: sent uncompressed. */
function wholeCoding(exchange: Exchange, length: number): Coding | null {
  return hasRoom(length) ? codingFor(exchange) : null;
}

/**
 * Sends a complete response before it returns, or before its promise resolves when the body is
 * compressed. The response object must not be used afterwards.
 * @param closing close the connection afterwards
 * @returns the status that was sent; 304 when the client already has the content
 * @throws ServiceError SERVICE_UNAVAILABLE when its holder leaves too many bytes unread
 */
export function sendWhole(
  exchange: Exchange,
  response: Response,
  body: string | Uint8Array,
  closing: boolean,
): number | Promise<number> {
  if (body.length <= AT_ONCE || exchange.method === 'HEAD') {
    return sendNow(exchange, response, body, closing);
  }
  const { process, holder } = exchange.memory;
  const size = Math.min(process.bytes.total, heldSize(body));
  // A client that receives an error for a completed write would write again.
  if (response.done !== true && !process.bytes.mayTake(holder, size)) throw process.bytes.refusal();
  return sendNow(exchange, response, body, closing);
}

/** The memory of a body; a text is stored in addition to its bytes. */
function heldSize(body: string | Uint8Array): number {
  return typeof body === 'string' ? 2 * body.length : body.length;
}

function sendNow(
  exchange: Exchange,
  response: Response,
  body: string | Uint8Array,
  closing: boolean,
): number | Promise<number> {
  const tag = tagOf(exchange, response, body);
  const known = tag === null ? undefined : exchange.header('if-none-match');
  const same = tag !== null && known !== undefined && namesTag(known, tag);
  const status = same ? 304 : response.status;
  const bodiless = same || status === 204 || status === 304;
  const { standard, compresses } = exchange.settings;
  let block = standard.block(response.headers, bodiless || body.length === 0);
  if (tag !== null && ownHeader(response.headers, 'etag') === undefined)
    block += `\r\nETag: ${tag}`;
  if (compresses && body.length >= COMPRESSED_MIN && isCompressible(response)) {
    block += '\r\nVary: Accept-Encoding';
    const coding = bodiless ? null : wholeCoding(exchange, body.length);
    if (coding !== null) {
      block += `\r\nContent-Encoding: ${coding}`;
      return sendCompressed(exchange, { status, block, bodiless, closing }, body, coding);
    }
  }
  return writeWhole(exchange, { status, block, bodiless, closing }, body);
}

async function sendCompressed(
  exchange: Exchange,
  head: Head,
  body: string | Uint8Array,
  coding: Coding,
): Promise<number> {
  const hold = exchange.memory.bytes();
  hold.count(heldSize(body));
  const bytes = await compress(body, coding).finally(() => hold.release());
  return exchange.aborted ? head.status : writeWhole(exchange, head, bytes);
}

function writeWhole(
  exchange: Exchange,
  head: Head,
  body: string | Uint8Array,
): number | Promise<number> {
  const { status, bodiless, closing } = head;
  if (exchange.settings.accessLog && !bodiless && exchange.method !== 'HEAD') {
    exchange.bytes += sizeOf(body);
  }
  let { block } = head;
  const close = exchange.release() || closing;
  const { socket, method, ambiguous, held } = exchange;
  // No more bytes are read from a connection that closes because of its framing, so a body is
  // harmless.
  const headOnly = method === 'HEAD' && !ambiguous;
  if (headOnly && !bodiless) block += `\r\nContent-Length: ${sizeOf(body)}`;
  if (headOnly || bodiless) {
    endWithoutBody(exchange, status, block, close);
  } else if (body.length > AT_ONCE && (!close || held)) {
    return writeLong(exchange, status, close ? `${block}\r\nConnection: close` : block, body);
  } else {
    socket.cork(() => {
      writeHead(exchange, status, block);
      socket.end(body, close);
    });
  }
  return status;
}

/**
 * Sends a long body only as fast as the client reads; immediately when the system accepts all of
 * it.
 */
function writeLong(
  exchange: Exchange,
  status: number,
  block: string,
  body: string | Uint8Array,
): number | Promise<number> {
  const { socket } = exchange;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let ended = false;
  socket.cork(() => {
    writeHead(exchange, status, block);
    [, ended] = socket.tryEnd(bytes, bytes.length);
  });
  if (ended) return status;
  exchange.memory.bytes().count(heldSize(body));
  return writeRest(exchange, status, bytes);
}

async function writeRest(exchange: Exchange, status: number, bytes: Uint8Array): Promise<number> {
  const writer = new AnswerWriter(exchange, false);
  try {
    await writer.end(bytes);
  } finally {
    writer.close();
  }
  return status;
}

/**
 * Sends a response piece by piece, only as fast as the client reads. Rejects when the pieces fail
 * or the client disconnects; `exchange.answered` then shows whether any byte was sent.
 * @param closing request the client to close the connection afterwards
 */
export async function sendPieces(
  exchange: Exchange,
  response: Response,
  pieces: Pieces,
  closing: boolean,
): Promise<void> {
  const { socket, settings } = exchange;
  let block = settings.standard.block(response.headers, false);
  let content = pieces;
  let { length } = response;
  if (settings.compresses && isCompressible(response)) {
    block += '\r\nVary: Accept-Encoding';
    const coding = codingFor(exchange);
    if (coding !== null) {
      block += `\r\nContent-Encoding: ${coding}`;
      content = compressedPieces(pieces, coding);
      length = undefined;
    }
  }
  const iterator = content[Symbol.asyncIterator]();
  let whole = false;
  let writer: AnswerWriter | null = null;
  try {
    // No byte is sent before the first piece, so an earlier failure becomes an error response. HEAD
    // also reads that piece, because pieces that have not begun cannot clean up.
    const first = await orDisconnected(exchange, iterator.next());
    if (exchange.method === 'HEAD') {
      if (length !== undefined) block += `\r\nContent-Length: ${length}`;
      endWithoutBody(exchange, response.status, block, exchange.release() || closing);
      return;
    }
    if (exchange.release() || closing) block += '\r\nConnection: close';
    socket.cork(() => writeHead(exchange, response.status, block));
    writer = new AnswerWriter(exchange, response.endless === true);
    for (let piece = first; piece.done !== true; ) {
      if (settings.accessLog) exchange.bytes += sizeOf(piece.value);
      if (length === undefined) await writer.send(piece.value);
      else await writer.sendOf(length, piece.value);
      piece = await orDisconnected(exchange, iterator.next());
    }
    if (length === undefined) {
      await writer.finish();
      socket.cork(() => socket.end());
    } else {
      writer.finishOf(length);
    }
    whole = true;
  } finally {
    exchange.onDisconnect = null;
    writer?.close();
    if (!whole) {
      leave(iterator);
      // The source may not have begun yet; then only the signal stops it.
      exchange.giveUp();
    }
  }
}

/** Stops pieces that are no longer needed, so that they clean up. */
export function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => undefined);
}

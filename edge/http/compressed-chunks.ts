/**
 * Compresses a streamed response piece by piece. Each piece is sent immediately, so that clients
 * see progress. The next piece is read only after the client has read it.
 */
import { once } from 'node:events';
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from 'node:zlib';
import { BROTLI_PARAMETERS, type Coding, GZIP_LEVEL } from './compression.ts';
import type { Pieces } from './response.ts';

type Piece = string | Uint8Array;

function encoderOf(coding: Coding): Gzip | BrotliCompress {
  return coding === 'gzip'
    ? createGzip({ level: GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH })
    : createBrotliCompress({
        params: BROTLI_PARAMETERS,
        flush: constants.BROTLI_OPERATION_FLUSH,
      });
}

/** The pieces in a content coding. When the source fails, the compressed data stays incomplete. */
export function compressedPieces(pieces: Pieces, coding: Coding): Pieces {
  return {
    [Symbol.asyncIterator]: () =>
      new CompressedPieces(pieces[Symbol.asyncIterator](), encoderOf(coding)),
  };
}

/** Not a generator, so that `return()` calls the source while a piece is awaited. */
class CompressedPieces implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterator<Piece>;
  readonly #encoder: Gzip | BrotliCompress;
  #output: Buffer[] = [];
  #ended = false;

  constructor(source: AsyncIterator<Piece>, encoder: Gzip | BrotliCompress) {
    this.#source = source;
    this.#encoder = encoder;
    encoder.on('data', (chunk: Buffer) => this.#output.push(chunk));
    // A reader that waits for a piece receives the failure from its call of `next`.
    encoder.on('error', () => undefined);
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (!this.#ended) {
      const { done, value } = await this.#source.next();
      if (this.#ended) break;
      if (done === true) {
        this.#ended = true;
        await this.#finish();
      } else if (value.length > 0) {
        await this.#write(value);
      }
      const bytes = Buffer.concat(this.#output);
      this.#output = [];
      if (bytes.length > 0) return { done: false, value: bytes };
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#ended = true;
    this.#encoder.destroy();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  async #write(piece: Piece): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#encoder.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
    await promise;
    // The encoder reports the rest of its output only in a later turn of the event loop.
    while (this.#encoder.read() !== null);
  }

  async #finish(): Promise<void> {
    const ended = once(this.#encoder, 'end');
    this.#encoder.end();
    await ended;
  }
}

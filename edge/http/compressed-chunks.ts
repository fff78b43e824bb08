/**
 * Compresses a streamed answer piece by piece: each piece leaves as soon as it came, so that
 * progress can be seen, and the next one is asked for only when the client took it.
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

/** The pieces in a coding. Their failure is passed on, and leaves the compressed text incomplete. */
export function compressedPieces(pieces: Pieces, coding: Coding): Pieces {
  return {
    [Symbol.asyncIterator]: () =>
      new CompressedPieces(pieces[Symbol.asyncIterator](), encoderOf(coding)),
  };
}

/** No generator, because giving up must reach the source while a piece is still awaited. */
class CompressedPieces implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterator<Piece>;
  readonly #encoder: Gzip | BrotliCompress;
  #output: Buffer[] = [];
  #ended = false;

  constructor(source: AsyncIterator<Piece>, encoder: Gzip | BrotliCompress) {
    this.#source = source;
    this.#encoder = encoder;
    encoder.on('data', (chunk: Buffer) => this.#output.push(chunk));
    // Whoever waits for a piece hears of it by that.
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
    // What the encoder still holds for its reader is announced only in a later turn.
    while (this.#encoder.read() !== null);
  }

  async #finish(): Promise<void> {
    const ended = once(this.#encoder, 'end');
    this.#encoder.end();
    await ended;
  }
}

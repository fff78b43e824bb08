/**
 * Decompresses gzip in a stream, within limits: a small file can expand to a thousand times its
 * size.
 */
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';

/** The limits of the decompressed size. */
export interface DecompressionLimits {
  /** Maximum bytes of the content. */
  readonly bytes: number;
  /** Maximum bytes of the content per byte of the file. */
  readonly ratio: number;
}

/** Content up to this size may have any ratio: short repetitive texts are harmless. */
const FREE_BYTES = 16 * 1024 * 1024;
const CHUNK = 128 * 1024;

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/**
 * The content of a gzip file, which may have several members.
 * @throws ServiceError CONTENT_TOO_LARGE beyond the limits, UnreadableFile when it is damaged
 */
export async function* decompress(
  file: AsyncIterable<Buffer>,
  limits: DecompressionLimits,
): AsyncGenerator<Buffer> {
  let read = 0;
  let written = 0;
  const counted = async function* () {
    for await (const chunk of file) {
      read += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({ chunkSize: CHUNK });
  // The second stream reports the failures of both to the reader.
  pipeline(counted, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) {
      if (!Buffer.isBuffer(chunk)) continue;
      written += chunk.length;
      if (written > limits.bytes) {
        const { bytes: limit } = limits;
        const why = reason('expanded_file_too_large', { limit });
        const variable = 'IMPORT_MAX_EXPANDED_SIZE';
        throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason: why });
      }
      if (written > FREE_BYTES && written > read * limits.ratio) {
        const { ratio: limit } = limits;
        const why = reason('file_expands_too_far', { limit });
        const variable = 'IMPORT_MAX_EXPANSION';
        throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason: why });
      }
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    const why = reason('gzip_damaged', { message: error.message });
    throw new UnreadableFile(syntaxFault(why, null, null));
  } finally {
    gunzip.destroy();
  }
}

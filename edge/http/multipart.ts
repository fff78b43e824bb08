/** Reads the first file of a `multipart/form-data` body (RFC 7578) while it arrives. */
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { ClientGoneError, type Request } from './request.ts';

/** Limits on the parts before the file; busboy limits the headers of a part to 16 KB. */
const LIMITS = { fieldNameSize: 256, fieldSize: 65_536, fields: 64, parts: 128, headerPairs: 64 };

/** A file that is arriving. */
export interface IncomingFile {
  /** The name of its part; empty when it has none. */
  readonly fieldName: string;
  /**
   * The client's name for it, without folders; empty without one. Do not store it under this name.
   */
  readonly filename: string;
  /** Its type as the client says, lower case, without parameters. */
  readonly mimeType: string;
  /** The `charset` of its type, lower case; null without one. */
  readonly charset: string | null;
  /** The text parts before the file; of two with the same name the last. */
  readonly fields: ReadonlyMap<string, string>;
  /**
   * The file's bytes; can be read once, and the client is paused while nobody reads. Fails with
   * INVALID_PAYLOAD when the body ends within the file, and with ClientGoneError when the client
   * disconnects. A reader that stops early need not clean up: the rest is dropped.
   */
  readonly stream: AsyncIterable<Uint8Array>;
}

/**
 * Reads up to the first file part; parts after it are ignored.
 * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE when the body is not multipart, INVALID_PAYLOAD
 *   when
 * it is malformed, has no file, or has too much before it
 */
export async function firstFile(request: Request): Promise<IncomingFile> {
  const parser = openParser(request);
  const body = request.body.stream();
  const fields = new Map<string, string>();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingFile>();
  let file: Readable | null = null;

  // Ends all streams and promises. It may be called more than once; only the first call counts.
  const stop = (error: Error) => {
    reject(error);
    body.unpipe(parser);
    file?.destroy(error);
    parser.destroy();
    body.destroy();
  };
  // The parser does not tell the parameters of a file's type; they are among the last bytes.
  let headers = Buffer.alloc(0);
  const keep = (chunk: Buffer) => {
    headers = Buffer.concat([headers, chunk]).subarray(-HEADERS_KEPT);
  };
  body.on('data', keep);
  parser.on('field', (name, value, { valueTruncated }) => {
    if (file !== null) return;
    if (valueTruncated) stop(invalidPayload(`The part ${name} before the file is too large.`));
    fields.set(name, value);
  });
  parser.on('file', (fieldName = '', stream, { filename = '', mimeType }) => {
    // There may be no listener when it fails.
    stream.on('error', () => undefined);
    if (file !== null) {
      stream.resume();
      return;
    }
    file = stream;
    stream.on('close', () => stop(new Error('The file is closed.')));
    const content = contentOf(stream);
    body.off('data', keep);
    const type = { mimeType: mimeType.toLowerCase(), charset: charsetOf(headers) };
    resolve({ fieldName, filename, ...type, fields, stream: content });
  });
  const tooMany = () => {
    if (file === null) stop(invalidPayload('It has too many parts before the file.'));
  };
  parser.on('fieldsLimit', tooMany).on('partsLimit', tooMany);
  parser.on('error', (error) => stop(malformed(error)));
  parser.on('close', () => stop(invalidPayload('It contains no file.')));
  body.on('error', stop);
  body.on('close', () => {
    if (!body.readableEnded) stop(new Error('The body is closed.'));
  });
  body.pipe(parser);
  return promise;
}

/** Bytes before and of the file in which its headers are: those, and a chunk that follows them. */
const HEADERS_KEPT = 512 * 1024;

/** The character set of the first file, from the bytes in which its headers are. */
function charsetOf(bytes: Buffer): string | null {
  const blocks = bytes.toString('latin1').split('\r\n\r\n');
  const headers = blocks.find((block) => /^content-disposition:[^\r\n]*;\s*filename/im.test(block));
  const match = /^content-type:[^\r\n]*;\s*charset="?([^\s";]+)/im.exec(headers ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

async function* contentOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    // When the body ends too soon, the parser fails the file with its own error.
    throw error instanceof ServiceError || error instanceof ClientGoneError
      ? error
      : malformed(error);
  }
}

function malformed(error: unknown): ServiceError {
  const reason = error instanceof Error ? error.message : String(error);
  return invalidPayload(`It is not well-formed multipart/form-data: ${reason}.`);
}

function openParser(request: Request): busboy.Busboy {
  const contentType = request.header('content-type');
  if (contentType === undefined || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      mediaType: contentType ?? null,
      where: 'Content-Type',
    });
  }
  try {
    return busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      defParamCharset: 'utf8',
    });
  } catch (error) {
    throw malformed(error);
  }
}

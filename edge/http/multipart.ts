/** Reads the files of a `multipart/form-data` body (RFC 7578) while they arrive. */
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { UNCOUNTED } from '#core/base/holders/process-memory.ts';
import { delimiterOf, MultipartFeed } from './multipart-feed.ts';
import { ClientGoneError, type Request } from './request.ts';

/** Limits on the parts; busboy limits the headers of a part to 16 KB. */
const LIMITS = {
  ...{ fieldNameSize: 256, fieldSize: 65_536, headerPairs: 64 },
  ...{ fields: 1_000, parts: 1_100 },
};
/** Maximum number of text parts before one file. */
const MOST_FIELDS = 64;

/** A file that is arriving. */
export interface IncomingFile {
  /** The name of its part; empty when the part has no name. */
  readonly fieldName: string;
  /**
   * The client's filename without folders; empty without one. Do not store the file under this
   * name.
   */
  readonly filename: string;
  /** The type that the client declares: lower case, without parameters. */
  readonly mimeType: string;
  /** The `charset` of its type, lower case; null without one. */
  readonly charset: string | null;
  /** The text parts before the file; of two with the same name, the last one. */
  readonly fields: ReadonlyMap<string, string>;
  /**
   * The file's bytes in pieces that are valid until the next one is requested. They can be read
   * once, and the client is paused while they are not read. Fails with INVALID_PAYLOAD when the
   * body ends within the file, and with ClientGoneError when the client disconnects. A reader that
   * stops early need not clean up: the rest is dropped.
   */
  readonly stream: AsyncIterable<Uint8Array>;
}

/** The content of a file, as far as the parser has processed it. */
class FileContent {
  /** Pieces that the parser emitted and that are not read yet. */
  readonly #pieces: Uint8Array[] = [];
  #hasEnded = false;
  #last: Uint8Array | null = null;
  /** The file is no longer needed. */
  #isLeft = false;

  constructor(stream: Readable, onError: (error: Error) => void) {
    stream.on('error', onError);
    stream.on('end', () => {
      this.#hasEnded = true;
      this.#last = null;
    });
    stream.on('data', (piece: Uint8Array) => {
      this.#last = piece;
      if (!this.#isLeft) this.#pieces.push(piece);
    });
  }

  /** The piece that the parser emitted last; null after the end of the file. */
  get last(): Uint8Array | null {
    return this.#last;
  }

  leave(): void {
    this.#isLeft = true;
    this.#pieces.length = 0;
  }

  /** @param step processes the next bytes of the body */
  async *read(step: () => Promise<Uint8Array | null>): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift()) {
        yield piece;
      }
      if (this.#hasEnded || this.#isLeft) return;
      const passed = await step();
      if (passed !== null && passed.length > 0) yield passed;
    }
  }
}

/** A file or the end of the body, as the parser reported it. */
type Arrived =
  | { readonly file: IncomingFile; readonly content: FileContent | null }
  | { readonly end: Error | null };

/** A part that is treated as a file although the client sends no filename. */
export interface TextFile {
  /** The name of the part. */
  readonly part: string;
  readonly limit: number;
  /** The configuration variable that sets the limit. */
  readonly variable: string;
}

export interface FileOptions {
  /** Content after the first file is ignored. */
  readonly onlyFirst?: boolean;
  readonly textFile?: TextFile | null;
}

/**
 * Reads the files of a body in order, each with the text parts since the previous file. The next
 * file arrives when the previous one is read or abandoned.
 * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE when the body is not multipart; INVALID_PAYLOAD
 *   when it is malformed, has no file, has too many bytes before a file or text parts after the
 *   last one
 */
export async function* incomingFiles(
  request: Request,
  { onlyFirst = false, textFile = null }: FileOptions = {},
): AsyncGenerator<IncomingFile, void> {
  const { parser, delimiter } = openParser(request, textFile?.limit ?? LIMITS.fieldSize);
  const body = request.body.lend();
  const arrivals: Arrived[] = [];
  let failure: Error | null = null;
  let fields = new Map<string, string>();
  /** Characters of text parts for which no memory is reserved yet. */
  let uncounted = 0;
  let files = 0;
  let last: FileContent | null = null;

  // May be called repeatedly; only the first call counts.
  const stop = (error: Error) => {
    failure ??= error;
    arrivals.push({ end: error });
    parser.destroy();
  };
  // The parser does not report the parameters of a file's type, so they are read from the last
  // bytes.
  let headers = Buffer.alloc(0);
  const feed = new MultipartFeed({
    ...{ parser, body, delimiter },
    onParse: (bytes) => {
      if (files === 0) headers = Buffer.concat([headers, bytes]).subarray(-HEADERS_KEPT);
    },
    lastOfFile: () => last?.last ?? null,
  });
  const step = async () => {
    const passed = await feed.step().catch((error: unknown) => {
      throw failure ?? error;
    });
    if (failure !== null) throw failure;
    return passed;
  };
  parser.on('field', (name, value, { valueTruncated, mimeType }) => {
    if (onlyFirst && files > 0) return;
    const isFile = name === textFile?.part;
    if (isFile && valueTruncated) {
      const { limit, variable } = textFile;
      stop(new ServiceError('CONTENT_TOO_LARGE', { limit, variable }));
    } else if (valueTruncated || (!isFile && value.length > LIMITS.fieldSize)) {
      stop(invalidPayload(reason('form_part_too_large', { name })));
    }
    if (isFile) {
      files += 1;
      const facts = { fieldName: name, filename: '', mimeType, charset: null, fields };
      arrivals.push({ file: { ...facts, stream: wholeOf(value) }, content: null });
    } else fields.set(name, value);
    uncounted += name.length + value.length;
    if (uncounted > UNCOUNTED) {
      try {
        request.take(2 * uncounted);
        uncounted = 0;
      } catch (error) {
        stop(error instanceof Error ? error : new Error(String(error)));
      }
    }
    if (fields.size > MOST_FIELDS) stop(invalidPayload(reason('form_has_too_many_parts')));
  });
  parser.on('file', (fieldName = '', parsed, { filename = '', mimeType }) => {
    const content = new FileContent(parsed, (error) => stop(malformed(error)));
    last = content;
    const charset = files === 0 ? charsetOf(headers) : null;
    files += 1;
    const facts = { fieldName, filename, mimeType: mimeType.toLowerCase(), charset, fields };
    fields = new Map();
    arrivals.push({ file: { ...facts, stream: told(content.read(step)) }, content });
  });
  const tooMany = () => {
    if (!onlyFirst || files === 0) stop(invalidPayload(reason('form_has_too_many_parts')));
  };
  parser.on('fieldsLimit', tooMany).on('partsLimit', tooMany);
  parser.on('error', (error) => stop(malformed(error)));
  parser.on('close', () => arrivals.push({ end: null }));
  try {
    for (;;) {
      const arrived = arrivals.shift();
      if (arrived === undefined) {
        await step();
      } else if ('file' in arrived) {
        yield arrived.file;
        arrived.content?.leave();
      } else {
        if (arrived.end !== null) throw arrived.end;
        const [late] = fields.keys();
        if (files === 0) throw invalidPayload(reason('form_without_file'));
        if (late === undefined) return;
        throw invalidPayload(reason('form_part_after_file', { name: late }));
      }
    }
  } finally {
    stop(new Error('The files are no longer needed.'));
    void body.return();
  }
}

/**
 * Reads up to the first file part; later parts are ignored. The reader owns the pieces of the file.
 * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE when the body is not multipart, INVALID_PAYLOAD
 *   when it is malformed, has no file, or has too many bytes before it
 */
export async function firstFile(
  request: Request,
  textFile: TextFile | null = null,
): Promise<IncomingFile> {
  const files = incomingFiles(request, { onlyFirst: true, textFile });
  const { value } = await files.next();
  if (value === undefined) throw invalidPayload(reason('form_without_file'));
  const stream = async function* () {
    try {
      for await (const piece of value.stream) yield Buffer.from(piece);
    } finally {
      void files.return();
    }
  };
  return { ...value, stream: stream() };
}

/**
 * Bytes that are stored to find the headers of a file: the headers themselves, and a chunk after
 * them.
 */
const HEADERS_KEPT = 512 * 1024;

/** The character set of the first file, from the bytes that contain its headers. */
function charsetOf(bytes: Buffer): string | null {
  const blocks = bytes.toString('latin1').split('\r\n\r\n');
  const headers = blocks.find((block) => /^content-disposition:[^\r\n]*;\s*filename/im.test(block));
  const match = /^content-type:[^\r\n]*;\s*charset="?([^\s";]+)/im.exec(headers ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

async function* wholeOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* told(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    // When the body ends too soon, the parser fails the file with its own error.
    throw error instanceof ServiceError || error instanceof ClientGoneError
      ? error
      : malformed(error);
  }
}

function malformed(error: unknown): ServiceError {
  const fault = error instanceof Error ? error.message : String(error);
  return invalidPayload(reason('form_malformed', { fault }));
}

interface Parser {
  readonly parser: busboy.Busboy;
  readonly delimiter: Buffer | null;
}

/** @param fieldSize maximum bytes of a text part */
function openParser(request: Request, fieldSize: number): Parser {
  const contentType = request.header('content-type');
  if (contentType === undefined || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      mediaType: contentType ?? null,
      where: 'Content-Type',
    });
  }
  try {
    const headers = { 'content-type': contentType };
    const parser = busboy({ headers, limits: { ...LIMITS, fieldSize }, defParamCharset: 'utf8' });
    return { parser, delimiter: delimiterOf(contentType) };
  } catch (error) {
    throw malformed(error);
  }
}

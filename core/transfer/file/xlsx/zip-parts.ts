/** The parts of a workbook, which is a ZIP archive, read within the limits of decompression. */
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { DecompressionLimits } from '../decompress.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import type { TemporaryFile } from '../temporary-file.ts';

/** Parts of one workbook; large ones have a few hundred. */
const PARTS_MAX = 20_000;
/** Bytes of the directory of a workbook: names and comments of parts. */
const DIRECTORY_MAX = 16 * 1024 * 1024;
/** Content up to this size may have any ratio: short repetitive texts are harmless. */
const FREE_BYTES = 16 * 1024 * 1024;

/** The fault of an archive that cannot be read. */
export function damagedWorkbook(message: string): UnreadableFile {
  return new UnreadableFile(syntaxFault(reason('workbook_damaged', { message }), null, null));
}

function tooLarge(entry: Entry, limits: DecompressionLimits): ServiceError | null {
  const { uncompressedSize: size, compressedSize } = entry;
  if (size > limits.bytes) {
    const { bytes: limit } = limits;
    const why = reason('expanded_file_too_large', { limit });
    const variable = 'IMPORT_MAX_EXPANDED_SIZE';
    return new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason: why });
  }
  if (size <= FREE_BYTES || size <= compressedSize * limits.ratio) return null;
  const { ratio: limit } = limits;
  const why = reason('file_expands_too_far', { limit });
  const variable = 'IMPORT_MAX_EXPANSION';
  return new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason: why });
}

/** Names are compared regardless of case, as in other readers of the format. */
function partName(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

export class ZipParts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limits: DecompressionLimits;

  private constructor(
    zip: ZipFile,
    entries: ReadonlyMap<string, Entry>,
    limits: DecompressionLimits,
  ) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
  }

  /** @throws {UnreadableFile} when the file is not an archive, or its directory is damaged */
  static async open(file: TemporaryFile, limits: DecompressionLimits): Promise<ZipParts> {
    const entries = new Map<string, Entry>();
    try {
      const zip = await fromFdPromise(file.fd, { autoClose: false });
      let directory = 0;
      for await (const entry of zip.eachEntry()) {
        directory += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (directory > DIRECTORY_MAX) throw new Error('its directory is too long');
        if (entries.size >= PARTS_MAX) throw new Error(`it has more than ${PARTS_MAX} parts`);
        entries.set(partName(entry.fileName), entry);
      }
      return new ZipParts(zip, entries, limits);
    } catch (error) {
      throw damagedWorkbook(error instanceof Error ? error.message : String(error));
    }
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  /** The size of a part without compression; 0 when it is missing. */
  size(name: string): number {
    return this.#entries.get(partName(name))?.uncompressedSize ?? 0;
  }

  /**
   * The content of a part; its size is that of the directory.
   * @throws ServiceError CONTENT_TOO_LARGE beyond the limits
   * @throws {UnreadableFile} when it is missing or damaged
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) throw damagedWorkbook(`the part ${name} is missing`);
    const excess = tooLarge(entry, this.#limits);
    if (excess !== null) throw excess;
    const stream = await this.#zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw damagedWorkbook(error instanceof Error ? error.message : String(error));
    });
    const chunks = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await chunks.next().catch((error: unknown) => {
          throw damagedWorkbook(error instanceof Error ? error.message : String(error));
        });
        if (done === true) return;
        if (Buffer.isBuffer(value)) yield value;
      }
    } finally {
      stream.destroy();
    }
  }
}

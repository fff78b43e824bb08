/** Opens a Parquet file as a table file, which a thread reads within bounds of memory and time. */
import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { type ErrorDetails, ServiceError } from '#core/base/errors/service-error.ts';
import type { HeaderCell } from '../csv-rows.ts';
import type { DecompressionLimits } from '../decompress.ts';
import { type RowFault, UnreadableFile } from '../row-fault.ts';
import type { DeclaredType, TableFile } from '../table/table-file.ts';
import type { TemporaryFile } from '../temporary-file.ts';
import { damagedParquet, partTooLarge } from './page-reader.ts';

/** The memory of the thread in MiB for values and for short-lived ones, besides bytes of pages. */
const HEAP_MB = 96;
const YOUNG_MB = 24;
/** Time for one batch of rows: a damaged file can keep the library busy without end. */
const BATCH_MS = 30_000;

/** A message of the thread. */
type Message =
  | { readonly header: readonly HeaderCell[]; readonly types: readonly DeclaredType[] }
  | { readonly bytes: Uint8Array; readonly read: number }
  | { readonly end: true }
  | { readonly faults: readonly [RowFault, ...RowFault[]] }
  | { readonly code: ErrorCode; readonly details: ErrorDetails };

/** The messages of a thread, one after another. */
class ParquetThread {
  readonly #worker: Worker;
  readonly #arrived: (Message | Error)[] = [];
  #wake: () => void = () => undefined;

  constructor(file: TemporaryFile, limits: DecompressionLimits, rows: boolean) {
    const { bytes, ratio } = limits;
    const worker = new Worker(new URL('./parquet-thread.ts', import.meta.url), {
      workerData: { fd: file.fd, size: file.size, limits: { bytes, ratio }, rows },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const arrive = (message: Message | Error) => {
      this.#arrived.push(message);
      this.#wake();
    };
    worker.on('message', arrive);
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      arrive(isMemory ? partTooLarge(file.size) : damagedParquet(error.message));
    });
    worker.on('exit', () => arrive(damagedParquet('its reader ended')));
    this.#worker = worker;
  }

  /** @throws {UnreadableFile} {ServiceError} what the thread found */
  async next(): Promise<Message> {
    const message = await this.#next();
    if (message instanceof Error) throw message;
    if ('faults' in message) {
      const [first, ...rest] = message.faults;
      throw new UnreadableFile(first, ...rest);
    }
    if ('code' in message) throw new ServiceError(message.code, message.details);
    return message;
  }

  async #next(): Promise<Message | Error> {
    let late: NodeJS.Timeout | undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#arrived.length === 0) {
      late = setTimeout(resolve, BATCH_MS);
      await promise;
    }
    clearTimeout(late);
    return this.#arrived.shift() ?? damagedParquet('it takes too long');
  }

  /** Lets the thread prepare the next batch. */
  take(): void {
    this.#worker.postMessage(null);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function* frames(
  file: TemporaryFile,
  limits: DecompressionLimits,
  read: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const thread = new ParquetThread(file, limits, true);
  try {
    for (;;) {
      const message = await thread.next();
      if (!('bytes' in message)) return;
      read(message.read);
      // The thread works while the rows are written.
      thread.take();
      const { buffer, byteOffset, byteLength } = message.bytes;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  } finally {
    await thread.close();
  }
}

/**
 * Opens a Parquet file.
 * @param file closed with the result; the caller closes it after an error
 * @throws ServiceError CONTENT_TOO_LARGE
 * @throws {UnreadableFile}
 */
export async function openParquet(
  file: TemporaryFile,
  limits: DecompressionLimits,
): Promise<TableFile> {
  const thread = new ParquetThread(file, limits, false);
  try {
    const message = await thread.next();
    if (!('header' in message)) throw damagedParquet('its reader ended');
    const { header, types } = message;
    return {
      ...{ header, types },
      content: (read = () => undefined) => frames(file, limits, read),
      address: () => null,
      close: () => file.close(),
    };
  } finally {
    await thread.close();
  }
}

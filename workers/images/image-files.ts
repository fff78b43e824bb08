/** Local files of images for the image processes, which read and write only local files. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reason } from '#core/base/errors/reason.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import type { ImageLimits } from '#core/files/images/output-size.ts';
import type { Place } from '#core/files/unclaimed-content.ts';
import type { ImageFacts } from '#core/jobs/message/image-facts.ts';
import type { FileStore } from '#core/services/files/file-store.ts';
import { type ImagePool, type ImageRequester, unusableImage } from './image-pool.ts';
import type { MadeImage } from './task.ts';

/** Measurements have a separate holder, because each is short and an upload waits for it. */
const MEASUREMENTS = 'measurements';
/** Maximum bytes of an image that is read. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A generated image, valid while it is used. */
export interface MadeFile extends MadeImage {
  readonly content: AsyncIterable<Uint8Array>;
}

export interface ImageFilesOptions {
  readonly store: FileStore;
  readonly pool: ImagePool;
  readonly limits: ImageLimits;
  /** FILES_METADATA_PLACES: metadata include the location of the camera. */
  readonly places: boolean;
}

/** Whether a process of this host runs. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes the files of workers that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^sluice-images-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

export class ImageFiles {
  readonly #options: ImageFilesOptions;
  #folder: Promise<string> | null = null;

  constructor(options: ImageFilesOptions) {
    this.#options = options;
  }

  /**
   * Size and metadata of an image.
   * @returns null for a file that is not an image
   * @throws ServiceError SERVICE_UNAVAILABLE when its bytes cannot be read
   */
  async facts(place: Place, signal: AbortSignal): Promise<ImageFacts | null> {
    const { pool, places } = this.#options;
    return await this.local(place, signal, (input) =>
      pool.facts(input, places, { holder: MEASUREMENTS, signal }),
    );
  }

  /**
   * Generates a variant of an image, which `use` reads.
   * @param input the path of the image
   * @throws the reason of the signal when it is aborted before a process is free; ServiceError
   *   UNPROCESSABLE_ENTITY for an image that is invalid or takes too long
   */
  async made<T>(
    input: string,
    transformation: ImageTransformation,
    { use, ...requester }: ImageRequester & { use(made: MadeFile): Promise<T> },
  ): Promise<T> {
    const { pool, limits } = this.#options;
    const output = await this.#newPath();
    try {
      const made = await pool.transform({ input, output, transformation, limits }, requester);
      return await use({ ...made, content: createReadStream(output) });
    } finally {
      await rm(output, { force: true });
    }
  }

  /**
   * Stores the bytes of an image in a local file while it is used.
   * @throws ServiceError UNPROCESSABLE_ENTITY for one that is too large; SERVICE_UNAVAILABLE when
   *   its bytes cannot be read
   */
  async local<T>(
    place: Place,
    signal: AbortSignal,
    use: (input: string) => Promise<T>,
  ): Promise<T> {
    const { store } = this.#options;
    if ((await store.size(place)) > MOST_BYTES) {
      throw unusableImage(reason('image_file_too_large', { limit: MOST_BYTES }));
    }
    const local = store.localPath(place);
    if (local !== null) return await use(local);
    const copy = await this.#newPath();
    try {
      await pipeline(store.read(place), createWriteStream(copy), { signal });
      return await use(copy);
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Ends the processes and removes all files. */
  async close(): Promise<void> {
    this.#options.pool.close();
    const folder = await this.#folder?.catch(() => null);
    if (typeof folder === 'string') await rm(folder, { recursive: true, force: true });
  }

  async #newPath(): Promise<string> {
    this.#folder ??= this.#open();
    return join(await this.#folder, randomUUID());
  }

  async #open(): Promise<string> {
    await removeLeftovers().catch(() => undefined);
    return await mkdtemp(join(tmpdir(), `sluice-images-${process.pid}-`));
  }
}

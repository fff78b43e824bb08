/** Uploads files: stores their bytes first, then writes their rows in one transaction. */
import { randomUUID } from 'node:crypto';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import type { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { Item } from '#core/write/payload.ts';
import type { WriteAnswer } from '../read-back.ts';
import type { RequestTarget } from '../request-context.ts';
import type { SystemService } from '../system/system-items.ts';
import type { FileStore, IncomingContent, StoredContent } from './file-store.ts';
import type { ImageMeasurement } from './image-measurement.ts';

/** Maximum files of one request. */
const MOST_FILES = 100;

/** An arriving file, and the fields of its row. */
export interface IncomingUpload extends IncomingContent {
  readonly item: Item;
}

export interface FileUploadOptions {
  readonly store: FileStore;
  readonly system: SystemService;
  readonly images: ImageMeasurement;
  /** {@link arrivingUploads} */
  readonly arriving: FairSemaphore;
}

/** The row of a file from the client's members. */
function itemOf({ item, filename }: IncomingUpload): Item {
  const { type: _, storage: __, ...others } = item;
  const named = others.filename_download ?? filename;
  if (typeof named === 'string' && named !== '') return { ...others, filename_download: named };
  throw invalidPayload(reason('file_name_missing'), { field: 'filename_download' });
}

/**
 * Generates ascending keys for several new files, unless they have keys. Files are read back in key
 * order, so the response is then in upload order.
 */
function inOrder(items: readonly Item[], given: readonly Item[]): readonly Item[] {
  if (items.length === 1 || items.some(({ id }) => id !== undefined)) return given;
  const keys = items.map(() => randomUUID()).sort();
  return given.map((members, index) => ({ ...members, id: keys[index] }));
}

export class FileUploads {
  readonly #options: FileUploadOptions;
  /** Files were deleted since the last removal began. */
  #isUntidy = false;
  #tidying: Promise<void> | null = null;

  constructor(options: FileUploadOptions) {
    this.#options = options;
  }

  /**
   * @throws ServiceError FORBIDDEN when the caller may neither create files nor, with `update`,
   * change them
   */
  async admit(target: RequestTarget, ...others: readonly 'update'[]): Promise<void> {
    await this.#options.system.admit(target, 'create', ...others);
  }

  /**
   * Stores files and creates their rows, all or none.
   * @returns the file, or the list when there are several
   * @throws ServiceError FORBIDDEN before any byte is read; the errors of storing and creating
   */
  async create(
    target: RequestTarget,
    incoming: AsyncIterable<IncomingUpload>,
    question: UnparsedQuery,
  ): Promise<WriteAnswer> {
    const { system, store, images, arriving } = this.#options;
    await this.admit(target);
    return await arriving.run(quotaKeyOf(target.caller), async () => {
      const items: Item[] = [];
      const stored: StoredContent[] = [];
      try {
        for await (const upload of incoming) {
          if (items.length === MOST_FILES) {
            throw invalidPayload(reason('too_many_files', { limit: MOST_FILES }));
          }
          const item = itemOf(upload);
          await system.requireCreatable(target, item);
          const storage = store.chosen(upload.item.storage);
          stored.push(await store.store(upload, storage, target.caller.user));
          items.push(item);
        }
        const { given, settle } = await images.of(stored, target.requestId);
        const body = items.length === 1 ? items[0] : items;
        const ordered = { ...target, given: inOrder(items, given) };
        const answer = await system.create(ordered, body, question);
        settle();
        return answer;
      } catch (error) {
        await store.giveUp(stored);
        throw error;
      }
    });
  }

  /**
   * Replaces the bytes of a file; its key stays.
   * @throws ServiceError FORBIDDEN before any byte is read; the errors of storing and updating
   */
  async replace(
    target: RequestTarget,
    key: string,
    incoming: AsyncIterable<IncomingUpload>,
    question: UnparsedQuery,
  ): Promise<WriteAnswer> {
    const { system, store, images, arriving } = this.#options;
    await system.admit(target, 'update');
    return await arriving.run(quotaKeyOf(target.caller), async () => {
      const stored: StoredContent[] = [];
      try {
        let item: Item | null = null;
        for await (const upload of incoming) {
          if (item !== null) throw invalidPayload(reason('file_with_several_contents'));
          item = itemOf(upload);
          await system.requireChangeable(target, key, item);
          const storage = store.chosen(upload.item.storage);
          stored.push(await store.store(upload, storage, target.caller.user));
        }
        if (item === null) throw forbidden();
        const { given, settle } = await images.of(stored, target.requestId);
        const answer = await system.updateOne({ ...target, given }, key, { body: item }, question);
        settle();
        this.tidy();
        return answer;
      } catch (error) {
        await store.giveUp(stored);
        throw error;
      }
    });
  }

  /**
   * Starts removing the bytes that no file refers to any more; a worker removes the rest. Only one
   * removal runs here at a time, so that many deletions or a blocked storage use one connection.
   */
  tidy(): void {
    this.#isUntidy = true;
    this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = null;
    });
  }

  async #tidy(): Promise<void> {
    while (this.#isUntidy) {
      this.#isUntidy = false;
      await this.#options.store.sweep().catch(() => undefined);
    }
  }
}

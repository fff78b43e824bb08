/**
 * Stores the bytes of files while they arrive. The file rows are written afterwards; unclaimed
 * bytes are removed.
 */
import { randomUUID } from 'node:crypto';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { headed, isListed, mediaTypeOf, OCTET_STREAM } from '#core/files/media-type.ts';
import {
  type ByteRange,
  fileMissingError,
  type Piece,
  type PieceState,
  type ShownFile,
  type Storage,
  StorageUnreachable,
} from '#core/files/storage/storage.ts';
import type { Place, RemoveContent, UnclaimedContent } from '#core/files/unclaimed-content.ts';
import type { Item } from '#core/write/payload.ts';

const EXTENSION = /\.([a-z0-9]{1,16})$/;

export interface FileStoreOptions {
  /** By the names in STORAGE_LOCATIONS, in order. */
  readonly storages: ReadonlyMap<string, Storage>;
  readonly unclaimed: UnclaimedContent;
  readonly config: Pick<Config, 'FILES_MAX_UPLOAD_SIZE' | 'FILES_MIME_TYPE_ALLOW_LIST'>;
  readonly log: Log;
  /** For tests: stops where FAILPOINT names the position. */
  readonly failpoint: (name: string) => Promise<void>;
}

/** Bytes that arrive. */
export interface IncomingContent {
  readonly filename: string;
  /** As the client states it; empty when it states no type. */
  readonly type: string;
  /** Accepted types; undefined for all that are allowed. */
  readonly only?: readonly string[] | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Stored bytes that belong to no file yet. */
export interface StoredContent extends Place {
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/** The members of a file row that describe its bytes; they also reset the previous description. */
export function membersOf({ storage, name, type, bytes, sha256 }: StoredContent): Item {
  return {
    ...{ storage, filename_disk: name, type, filesize: bytes, sha256 },
    uploaded_on: new Date().toISOString(),
    ...{ width: null, height: null, duration: null, metadata: null, charset: null, embed: null },
  };
}

/** The name of new bytes in their storage. */
function newName(filename: string): string {
  const [ending = ''] = EXTENSION.exec(filename.toLowerCase()) ?? [];
  return randomUUID() + ending;
}

/** Reads pieces; a failure distinguishes a missing file. */
async function* whereFound(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* open();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing ? fileMissingError(error) : error;
  }
}

export class FileStore {
  readonly #options: FileStoreOptions;

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  /** For tests: stops where FAILPOINT names the position. */
  async failpoint(name: string): Promise<void> {
    await this.#options.failpoint(name);
  }

  /** The names of the storages; the first one is the default for new files. */
  get locations(): readonly string[] {
    return [...this.#options.storages.keys()];
  }

  /**
   * The storage of a name.
   * @throws ServiceError SERVICE_UNAVAILABLE when it is not configured
   */
  at(name: string): Storage {
    const storage = this.#options.storages.get(name);
    if (storage !== undefined) return storage;
    throw unavailable('storage', reason('storage_location_missing', { name }));
  }

  /** The storage for a new file. @throws ServiceError INVALID_PAYLOAD for an unknown one */
  chosen(name: unknown): string {
    const { locations } = this;
    const found = locations.find((one) => one === (name ?? locations[0]));
    if (found !== undefined) return found;
    throw invalidPayload(reason('storage_unknown', { locations: locations.join(', ') }), {
      field: 'storage',
    });
  }

  /**
   * Stores bytes under a new name.
   * @param storage a name of {@link locations}
   * @param holder the user whose quota counts them; null for no quota
   * @throws ServiceError INVALID_PAYLOAD for a type that is not allowed, CONTENT_TOO_LARGE,
   * REQUESTS_EXCEEDED above the quota, SERVICE_UNAVAILABLE
   */
  async store(
    incoming: IncomingContent,
    storage: string,
    holder: string | null,
  ): Promise<StoredContent> {
    const { unclaimed, config } = this.#options;
    const place = { storage, name: newName(incoming.filename) };
    const arrival = await unclaimed.begin(place, holder);
    await this.failpoint('file.noted');
    const limit =
      config.FILES_MAX_UPLOAD_SIZE === undefined
        ? undefined
        : ({ bytes: config.FILES_MAX_UPLOAD_SIZE, variable: 'FILES_MAX_UPLOAD_SIZE' } as const);
    let type = OCTET_STREAM;
    const content = headed(incoming.content, async (head) => {
      type = await this.typeOf(head, incoming.type, incoming.only);
    });
    try {
      const stored = await this.at(storage).write(place.name, arrival.counted(content), limit);
      await this.failpoint('file.stored');
      return { ...place, type, ...stored };
    } catch (error) {
      await this.giveUp([place]);
      throw error;
    }
  }

  /**
   * Stores bytes that the server generated.
   * @param ending the extension of their name, such as `jpeg`
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  async keep(
    storage: string,
    ending: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<Omit<StoredContent, 'type'>> {
    const place = { storage, name: newName(`.${ending}`) };
    const arrival = await this.#options.unclaimed.begin(place, null);
    try {
      const stored = await this.at(storage).write(place.name, arrival.counted(content), undefined);
      return { ...place, ...stored };
    } catch (error) {
      await this.giveUp([place]);
      throw error;
    }
  }

  /**
   * Records bytes that will arrive in pieces.
   * @param bytes their number, 0 when it is unknown
   * @throws ServiceError REQUESTS_EXCEEDED above the quota
   */
  async reserve(
    filename: string,
    storage: string,
    { user, bytes }: { readonly user: string | null; readonly bytes: number },
  ): Promise<Place> {
    const place = { storage, name: newName(filename) };
    await this.#options.unclaimed.begin(place, user, bytes);
    return place;
  }

  /**
   * Counts bytes towards the quota before their pieces arrive.
   * @throws ServiceError REQUESTS_EXCEEDED above the quota
   */
  async expect(place: Place, user: string | null, bytes: number): Promise<void> {
    await this.#options.unclaimed.begin(place, user, bytes);
  }

  /** Appends a piece to stored pieces. @returns the new state for the storage */
  async append({ storage, name }: Place, state: PieceState | null, piece: Piece) {
    return await this.at(storage).append(name, state, piece);
  }

  /** The new state for the storage when another process may still append pieces. */
  takenOver({ storage }: Place, state: PieceState | null): PieceState | null {
    return this.at(storage).takenOver(state);
  }

  /** Joins pieces, unless they are already joined. */
  async finish({ storage, name }: Place, state: PieceState | null, bytes: number): Promise<void> {
    await this.at(storage).finish(name, state, bytes);
  }

  /** The first bytes of stored content. */
  async head(place: Place, bytes: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    if (bytes === 0) return new Uint8Array(0);
    for await (const piece of this.read(place, { start: 0, end: bytes - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** The type of bytes by their beginning. @throws ServiceError INVALID_PAYLOAD when it is not allowed */
  async typeOf(head: Uint8Array, claim: string, only?: readonly string[]): Promise<string> {
    const type = await mediaTypeOf(head, claim);
    this.#requireAllowed(type, only);
    return type;
  }

  /** The key of the file that bytes belong to; null when there is none. */
  async fileOf(place: Place): Promise<string | null> {
    return await this.#options.unclaimed.fileOf(place);
  }

  /**
   * Reads bytes; their storage is opened when the first piece is requested.
   * @throws ServiceError SERVICE_UNAVAILABLE, with the first piece, when they are missing
   */
  async *read({ storage, name }: Place, range?: ByteRange): AsyncGenerator<Uint8Array> {
    yield* whereFound(() => this.at(storage).read(name, range));
  }

  /** The same in pieces that are valid until the next one is requested. */
  async *lend({ storage, name }: Place, range?: ByteRange): AsyncGenerator<Uint8Array> {
    yield* whereFound(() => this.at(storage).lend(name, range));
  }

  /**
   * A URL from which clients can download bytes directly from their storage for a minute; null if
   * they cannot.
   */
  async url({ storage, name }: Place, shown: ShownFile): Promise<string | null> {
    return await this.at(storage).url(name, shown);
  }

  /** The local path from which a library of this host can read bytes; null without such a path. */
  localPath({ storage, name }: Place): string | null {
    return this.at(storage).localPath(name);
  }

  /** The number of bytes. @throws ServiceError SERVICE_UNAVAILABLE when they are missing */
  async size({ storage, name }: Place): Promise<number> {
    return await this.at(storage).size(name);
  }

  /** Whether bytes exist in their storage. @throws ServiceError SERVICE_UNAVAILABLE */
  async isThere(place: Place): Promise<boolean> {
    try {
      await this.size(place);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && !(error instanceof StorageUnreachable)) return false;
      throw error;
    }
  }

  /** Removes unclaimed bytes; bytes that cannot be removed now are swept later. */
  async giveUp(places: readonly Place[]): Promise<void> {
    const { unclaimed, log } = this.#options;
    for (const place of places) {
      await unclaimed
        .giveUp(place, this.#remove)
        .catch((error) => log.warn({ err: error, ...place }, 'could not remove content yet'));
    }
  }

  /** Whether there are bytes that no file refers to any more. */
  async isUntidy(): Promise<boolean> {
    return await this.#options.unclaimed.isAny(this.locations);
  }

  /** Removes bytes that no file refers to any more. @returns how many */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { unclaimed, log } = this.#options;
    return await unclaimed.sweep(this.locations, {
      remove: async (place) => {
        signal?.throwIfAborted();
        await this.#remove(place);
      },
      failed: (error, place) => log.warn({ err: error, ...place }, 'could not remove content yet'),
    });
  }

  readonly #remove: RemoveContent = async ({ storage, name }) => {
    await this.at(storage).remove(name);
  };

  #requireAllowed(type: string, only: readonly string[] | undefined): void {
    const { FILES_MIME_TYPE_ALLOW_LIST: list } = this.#options.config;
    if (only !== undefined && !isListed(type, only)) {
      throw invalidPayload(reason('file_type_unwanted', { type }), { type });
    }
    if (isListed(type, list)) return;
    throw invalidPayload(reason('file_type_not_allowed', { type }), {
      type,
    });
  }
}

/** Opens the storages of the configuration. */
import { join } from 'node:path';
import type { StorageLocation } from '#core/base/config/storage-location.ts';
import type { Config } from '#core/base/config/variables.ts';
import { localStorage } from './local-storage.ts';
import type { PartBuffers } from './part-buffers.ts';
import type { Storage } from './storage.ts';

/** Folders below the root of a location: for files of jobs, and for files of users. */
const FOLDERS = { jobs: 'spool', files: 'files' } as const;
/** Milliseconds that an upload waits for memory. */
const WAIT_MS = 60_000;

type Purpose = keyof typeof FOLDERS;
type StorageConfig = Pick<Config, 'locations' | 'STORAGE_PART_SIZE' | 'STORAGE_UPLOAD_MEMORY'>;

/** The storages of a process. */
export interface Storages {
  /** For jobs: in the first of STORAGE_LOCATIONS. */
  readonly spool: Storage;
  /** For the files of users, by location name, in the order of STORAGE_LOCATIONS. */
  readonly files: ReadonlyMap<string, Storage>;
}

/** Opens storages that share the memory for uploads. */
class StorageOpener {
  readonly #config: StorageConfig;
  #buffers: PartBuffers | null = null;

  constructor(config: StorageConfig) {
    this.#config = config;
  }

  async open(location: StorageLocation, purpose: Purpose): Promise<Storage> {
    const folder = FOLDERS[purpose];
    if (location.driver === 'local') return localStorage(join(location.root, folder));
    return await this.#openBucket(location, folder);
  }

  async #openBucket(
    { root, ...location }: Extract<StorageLocation, { driver: 's3' }>,
    folder: string,
  ): Promise<Storage> {
    // Loading the SDK costs 0.2 s and 20 MB, so it happens on demand.
    const [parts, { S3Bucket }, { openS3Storage }] = await Promise.all([
      import('./part-buffers.ts'),
      import('./s3-bucket.ts'),
      import('./s3-storage.ts'),
    ]);
    const size = this.#config.STORAGE_PART_SIZE;
    const max = Math.floor(this.#config.STORAGE_UPLOAD_MEMORY / size);
    this.#buffers ??= new parts.PartBuffers({ size, max, wait: WAIT_MS });
    const above = root.replace(/^\/+|\/+$/g, '');
    const prefix = `${above === '' ? '' : `${above}/`}${folder}/`;
    return openS3Storage({
      bucket: new S3Bucket({ ...location, prefix }),
      buffers: this.#buffers,
    });
  }
}

/** Opens all storages; no data is read or written before the first use. */
export async function openStorages(config: StorageConfig): Promise<Storages> {
  const [first] = config.locations;
  if (first === undefined) throw new Error('no storage location is configured');
  const opener = new StorageOpener(config);
  const files = new Map<string, Storage>();
  for (const location of config.locations) {
    files.set(location.name, await opener.open(location, 'files'));
  }
  return { spool: await opener.open(first, 'jobs'), files };
}

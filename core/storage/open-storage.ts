/** Opens the storage that the configuration names. */
import { join } from 'node:path';
import type { Config } from '#core/config/config.ts';
import type { StorageLocation } from '#core/config/storage-location.ts';
import { localStorage } from './local-storage.ts';
import type { Storage } from './storage.ts';

/** Below the root of a location, so that other files can be beside those of jobs. */
const JOBS = 'spool';
/** Milliseconds that an upload waits for memory. */
const WAIT_MS = 60_000;

type StorageConfig = Pick<Config, 'locations' | 'STORAGE_PART_SIZE' | 'STORAGE_UPLOAD_MEMORY'>;

async function openBucket(
  { root, ...location }: Extract<StorageLocation, { driver: 's3' }>,
  config: StorageConfig,
): Promise<Storage> {
  // The SDK costs 0.2 s and 20 MB, so it is loaded where it is used.
  const [{ PartBuffers }, { S3Bucket }, { openS3Storage }] = await Promise.all([
    import('./part-buffers.ts'),
    import('./s3-bucket.ts'),
    import('./s3-storage.ts'),
  ]);
  const size = config.STORAGE_PART_SIZE;
  const max = Math.floor(config.STORAGE_UPLOAD_MEMORY / size);
  const folder = root.replace(/^\/+|\/+$/g, '');
  const prefix = `${folder === '' ? '' : `${folder}/`}${JOBS}/`;
  return openS3Storage({
    bucket: new S3Bucket({ ...location, prefix }),
    buffers: new PartBuffers({ size, max, wait: WAIT_MS }),
  });
}

/** The storage of the files of jobs: the first of STORAGE_LOCATIONS. */
export async function openJobStorage(config: StorageConfig): Promise<Storage> {
  const [location] = config.locations;
  if (location === undefined) throw new Error('there is no location of files');
  if (location.driver === 'local') return localStorage(join(location.root, JOBS));
  return await openBucket(location, config);
}

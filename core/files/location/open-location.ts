/** Opens the locations of imports. */
import type { StorageLocation } from '#core/base/config/storage-location.ts';
import { openFolderLocation } from './folder-location.ts';
import type { ObjectLocation } from './object-location.ts';

async function openLocation(location: StorageLocation): Promise<ObjectLocation> {
  if (location.driver === 'local') return openFolderLocation(location.root);
  // Loading the SDK costs 0.2 s and 20 MB, so it happens on demand.
  const [{ S3Bucket }, { openBucketLocation }] = await Promise.all([
    import('#core/files/storage/s3-bucket.ts'),
    import('./bucket-location.ts'),
  ]);
  const { root, ...bucket } = location;
  const above = root.replace(/^\/+|\/+$/g, '');
  return openBucketLocation(new S3Bucket({ ...bucket, prefix: above === '' ? '' : `${above}/` }));
}

/** The locations by name; nothing is read before the first use. */
export async function openLocations(
  locations: readonly StorageLocation[],
): Promise<ReadonlyMap<string, ObjectLocation>> {
  const opened = new Map<string, ObjectLocation>();
  for (const location of locations) opened.set(location.name, await openLocation(location));
  return opened;
}

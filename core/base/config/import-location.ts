/** The rule that a location of IMPORT_LOCATIONS holds no files that Sluice itself stores. */
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { prefixOf, type StorageLocation } from './storage-location.ts';

/** The folder itself, behind symbolic links; as it is written when it does not exist yet. */
function folderOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Whether one folder, or beginning of object keys, contains the other. */
function contains(one: string, other: string, end: string): boolean {
  const [outer, inner] = [one, other].map((text) => (text.endsWith(end) ? text : text + end));
  return inner?.startsWith(outer ?? '') === true;
}

/** Whether two folders share files. */
function foldersOverlap(one: string, other: string): boolean {
  const [first, second] = [folderOf(one), folderOf(other)];
  return contains(first, second, sep) || contains(second, first, sep);
}

type Bucket = Extract<StorageLocation, { driver: 's3' }>;

/** The server of a bucket; all servers of AWS have one namespace. */
function serverOf({ endpoint }: Bucket): string {
  const host = endpoint === undefined ? 'amazonaws.com' : new URL(endpoint).host;
  return host.endsWith('amazonaws.com') ? 'amazonaws.com' : host;
}

function bucketsOverlap(one: Bucket, other: Bucket): boolean {
  if (one.bucket !== other.bucket || serverOf(one) !== serverOf(other)) return false;
  const [first, second] = [one, other].map(({ root }) => `/${root.replace(/^\/+|\/+$/g, '')}`);
  if (first === undefined || second === undefined) return false;
  return contains(first, second, '/') || contains(second, first, '/');
}

function overlap(one: StorageLocation, other: StorageLocation): boolean {
  if (one.driver === 'local')
    return other.driver === 'local' && foldersOverlap(one.root, other.root);
  return other.driver === 's3' && bucketsOverlap(one, other);
}

/** A line for each location of imports that shares files with Sluice. */
export function overlappingLocations(
  imports: readonly StorageLocation[],
  files: readonly StorageLocation[],
  dataFolder: string,
): readonly string[] {
  return imports.flatMap((location) => {
    const { name } = location;
    const own = prefixOf(name);
    if (files.some((other) => prefixOf(other.name) === own)) {
      return [`IMPORT_LOCATIONS: ${name} is in STORAGE_LOCATIONS, which hold files of Sluice`];
    }
    const other = files.find((one) => overlap(location, one));
    if (other !== undefined) {
      return [`IMPORT_LOCATIONS: ${name} overlaps ${other.name}, which holds files of Sluice`];
    }
    if (location.driver === 'local' && foldersOverlap(location.root, dataFolder)) {
      return [`IMPORT_LOCATIONS: ${name} overlaps DATA_DIR; ${own}ROOT must be another folder`];
    }
    return [];
  });
}

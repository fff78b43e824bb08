/** The free space for this process in the file system of a folder. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Free bytes; null when the system does not report them. */
export async function freeSpace(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // The folder is created with the first file.
    const above = dirname(folder);
    return above === folder ? null : await freeSpace(above);
  }
}

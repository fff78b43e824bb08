/** Writes the files of commands. */
import { rename, writeFile } from 'node:fs/promises';

/** Writes a file so that it appears only when it is complete. */
export async function writeWhole(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`;
  await writeFile(unfinished, content, { flag: 'wx' });
  await rename(unfinished, path);
}

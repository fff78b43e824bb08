/** Writes the site as a folder of files, at the paths that an edge serves them at. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BuiltFile, buildSite } from './build-site.ts';
import { DOCUMENTS, picturesOf } from './source.ts';

function pathOf({ name, kind }: BuiltFile): string {
  const path = name === '' ? 'docs' : `docs/${name}`;
  return kind === 'page' ? `${path}.html` : path;
}

/** @returns the path of a file whose folder exists */
async function placeOf(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  return path;
}

/**
 * Makes the site, in place of what the folder held.
 * @param root the folder of the repository
 */
export async function writeSite(root: string, folder: string): Promise<void> {
  const { files, copied } = await buildSite(root);
  await rm(folder, { recursive: true, force: true });
  for (const path of await picturesOf(root)) {
    const place = await placeOf(folder, join('docs', relative(DOCUMENTS, path)));
    await copyFile(join(root, path), place);
  }
  for (const { name, path } of copied)
    await copyFile(path, await placeOf(folder, join('docs', name)));
  // The first page says that everything else is there.
  const first = ({ name }: BuiltFile) => Number(name === '');
  for (const file of files.toSorted((one, other) => first(one) - first(other))) {
    await writeFile(await placeOf(folder, pathOf(file)), file.content);
  }
}

/** Folders as a tree. */
import type { Folder } from './library-query.ts';

export interface FolderBranch {
  readonly folder: Folder;
  /** 0 at the root. */
  readonly depth: number;
}

/** The parent of a folder, as far as the caller may read it. */
function parentOf(known: ReadonlyMap<string, Folder>, { parent }: Folder): string | null {
  return parent !== null && known.has(parent) ? parent : null;
}

/** The folders in a folder; null is the root. */
export function foldersIn(folders: readonly Folder[], parent: string | null): readonly Folder[] {
  const known = new Map(folders.map((folder) => [folder.id, folder]));
  return folders.filter((folder) => parentOf(known, folder) === parent);
}

/** All folders, each after its parent, without one and what is in it. */
export function folderTree(
  folders: readonly Folder[],
  without: string | null = null,
): readonly FolderBranch[] {
  const known = new Map(folders.map((folder) => [folder.id, folder]));
  const children = Map.groupBy(folders, (folder) => parentOf(known, folder));
  const below = (parent: string | null, depth: number): readonly FolderBranch[] =>
    (children.get(parent) ?? [])
      .filter(({ id }) => id !== without)
      .flatMap((folder) => [{ folder, depth }, ...below(folder.id, depth + 1)]);
  return below(null, 0);
}

/** A folder and all that are in it. */
export function folderAndBelow(folders: readonly Folder[], id: string): readonly string[] {
  const inside = folders.filter(({ parent }) => parent === id);
  return [id, ...inside.flatMap((folder) => folderAndBelow(folders, folder.id))];
}

/** The files that a cluster has stored. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the files in the folder of a cluster, except the file with its identity. */
export function storedFiles({ dataDir }: { readonly dataDir: string }): string[] {
  const folder = join(dataDir, 'spool');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => !name.startsWith('storage-id'));
}

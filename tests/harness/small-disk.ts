/** A small file system for a folder of a test, which can be full or refuse writes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Teardown } from './database.ts';

/** Slightly more than the health checks require. */
const SIZE = '80m';

export interface SmallDisk {
  /** Fills the file system, or frees its space. */
  fill(isFull: boolean): void;
  /** Refuses writes, or allows them again; only while no file is open for writing. */
  protect(isProtected: boolean): boolean;
}

/** Mounts it on a new folder; null without the necessary privileges. */
export function mountSmallDisk(t: Teardown, folder: string): SmallDisk | null {
  mkdirSync(folder);
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;
  if (process.getuid?.() !== 0 || !mount(`size=${SIZE}`)) return null;
  t.teardown(() => spawnSync('umount', ['--lazy', folder]));
  const filling = join(folder, 'filling');
  return {
    fill(isFull) {
      if (!isFull) return rmSync(filling);
      for (let bytes = 1_048_576; bytes >= 1; bytes = Math.floor(bytes / 2)) {
        try {
          for (;;) writeFileSync(filling, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          // The remaining space is smaller than that.
        }
      }
    },
    protect: (isProtected) => mount(`remount,${isProtected ? 'ro' : 'rw'}`),
  };
}

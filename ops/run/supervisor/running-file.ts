/** The file in `DATA_DIR` with the URL of the installation that runs on that folder. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Config } from '#core/base/config/variables.ts';
import { localUrl } from './banner.ts';

const running = v.object({ pid: v.number(), url: v.string() });

function fileOf(dataDir: string): string {
  return join(dataDir, 'running.json');
}

function read(dataDir: string): v.InferOutput<typeof running> | null {
  try {
    return v.parse(running, JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Writes the URL of this installation.
 * @param dataDir absolute path
 * @returns a function that removes the file, unless another installation has written it since
 */
export function announce(config: Pick<Config, 'HOST' | 'PORT'>, dataDir: string): () => void {
  const file = fileOf(dataDir);
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify({ pid: process.pid, url: localUrl(config) })}\n`);
  renameSync(unfinished, file);
  return () => {
    if (read(dataDir)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** The URL of the installation on this folder, possibly of a killed one; null without one. */
export function announcedUrl(config: Pick<Config, 'DATA_DIR'>): string | null {
  return read(config.DATA_DIR)?.url ?? null;
}

/** The file in `DATA_DIR` by which commands find the installation that runs on that folder. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Config } from '#core/config/config.ts';
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
 * Writes down where this installation answers.
 * @param dataDir absolute path
 * @returns takes the file away again, unless another installation has written it since
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

/**
 * Where the installation on this folder answers, and last answered if it was killed: null when none
 * has written it down.
 */
export function announcedUrl(config: Pick<Config, 'DATA_DIR'>): string | null {
  return read(config.DATA_DIR)?.url ?? null;
}

/** The health of a file storage: whether it accepts files, and its free space. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import type { Storage } from '#core/files/storage/storage.ts';

export interface CheckedStorage {
  /** Names the checks: `storage:<name>:…`. */
  readonly name: string;
  readonly storage: Pick<Storage, 'write' | 'remove'>;
  /** Free bytes; null for storages without such a limit. */
  readonly free: () => Promise<number | null>;
}

/** Less free space (bytes) is an error: the next upload may not fit. */
const LEAST_FREE = 64 * 1024 * 1024;
const COMPONENT = { componentType: 'objectstore' } as const;

function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.details.reason?.sentence ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

function freeCheck(free: number, threshold: number): HealthCheck {
  const observed = { observedUnit: 'bytes', observedValue: free, threshold } as const;
  if (free >= threshold) return { status: 'ok', ...COMPONENT, ...observed };
  const status = free < LEAST_FREE ? 'error' : 'warn';
  const output = 'Uploads and exports are refused when nothing is left.';
  return { status, ...COMPONENT, ...observed, output };
}

async function* oneByte(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
}

/**
 * Writes a small file and removes it; never throws.
 * @param warnFree STORAGE_WARN_FREE
 */
export async function storageChecks(
  { name, storage, free }: CheckedStorage,
  warnFree: number,
): Promise<HealthChecks> {
  const room = await free().catch(() => null);
  return {
    [`storage:${name}:writable`]: [await writableCheck(storage)],
    ...(room === null ? {} : { [`storage:${name}:free`]: [freeCheck(room, warnFree)] }),
  };
}

async function writableCheck(storage: CheckedStorage['storage']): Promise<HealthCheck> {
  try {
    const id = randomUUID();
    await storage.write(id, oneByte(), undefined);
    await storage.remove(id);
    return { status: 'ok', ...COMPONENT };
  } catch (error) {
    return { status: 'error', ...COMPONENT, output: `No file can be written: ${reasonOf(error)}` };
  }
}

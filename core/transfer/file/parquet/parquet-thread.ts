/** A thread that reads a Parquet file; it sends each batch of rows when the last one is taken. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { UnreadableFile } from '../row-fault.ts';
import { readAt } from '../temporary-file.ts';
import { openRows } from './parquet-rows.ts';

const work = v.object({
  fd: v.number(),
  size: v.number(),
  limits: v.object({ bytes: v.number(), ratio: v.number() }),
  /** Whether the rows are wanted, or only the names and the types of the columns. */
  rows: v.boolean(),
});

const { fd, size, limits, rows } = v.parse(work, workerData);

/** Rows are short of the memory of their frames; this much is sent at once. */
async function send(): Promise<void> {
  const file = { size, read: (bytes: Uint8Array, at: number) => readAt(fd, bytes, at) };
  const { header, types, frames } = openRows(file, limits);
  if (!rows) {
    parentPort?.postMessage({ header, types });
    return;
  }
  let read = 0;
  const count = (bytes: number) => {
    read += bytes;
  };
  for (const bytes of frames(count)) {
    parentPort?.postMessage({ bytes, read });
    read = 0;
    if (parentPort !== null) await once(parentPort, 'message');
  }
  parentPort?.postMessage({ end: true });
}

try {
  await send();
} catch (error) {
  if (error instanceof UnreadableFile) parentPort?.postMessage({ faults: error.faults });
  else if (error instanceof ServiceError) {
    parentPort?.postMessage({ code: error.code, details: error.details });
  } else throw error;
}
parentPort?.close();

/**
 * Reads a file through its scanner into a COPY, chunk by chunk, as fast as PostgreSQL accepts it.
 */
import { getDefaultHighWaterMark } from 'node:stream';
import type { CopyText } from '../file/copy-text.ts';
import type { ImportFile } from '../file/import-file.ts';
import { UnreadableFile } from '../file/row-fault.ts';
import type { RowReader } from '../file/row-reader.ts';
import type { CopyIn } from './copy-in.ts';

/**
 * Bytes per message to PostgreSQL. For messages of at least this size a stream calls back only when
 * the system has them; smaller ones stay in its buffer.
 */
const BATCH = Math.max(64 * 1024, getDefaultHighWaterMark(false));

export interface Feed {
  readonly file: ImportFile;
  readonly reader: RowReader;
  /** Where the reader's handler writes the rows. */
  readonly out: CopyText;
  readonly copy: CopyIn;
  /** Called after each chunk, and at the end, with the bytes read so far. */
  readonly progress: (bytes: number) => Promise<void>;
}

/**
 * Feeds the whole file. When anything fails, the COPY is aborted first.
 * @returns the number of copied rows
 */
export async function feedFile({ file, reader, out, copy, progress }: Feed): Promise<number> {
  let bytes = 0;
  try {
    const content = file.content((read) => {
      bytes += read;
    });
    let sending: Buffer | null = null;
    for await (const chunk of content) {
      reader.push(chunk);
      if (out.length >= BATCH) {
        const rows = out.take();
        // It waits until those before them are sent.
        await copy.write(rows);
        if (sending !== null) out.giveBack(sending);
        sending = rows;
      }
      await progress(bytes);
    }
    reader.end();
    // The last row may lack a line end.
    await progress(bytes);
    if (out.length > 0) await copy.write(out.take());
    return await copy.end();
  } catch (error) {
    await copy.abort();
    const isOfContent = error instanceof UnreadableFile && error.fault.row === null;
    if (!isOfContent || reader.next() < 1) throw error;
    throw new UnreadableFile({ ...error.fault, row: reader.next() });
  }
}

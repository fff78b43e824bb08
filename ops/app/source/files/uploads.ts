/**
 * Uploads of files, in pieces that go on where a connection broke. What was begun in this browser goes
 * on even after the page was loaded again, when the same file is given once more.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type FileColumns, SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import { useRunningUploads } from '../shell/running-uploads.tsx';

/** Smaller files are sent at once. */
const IN_PIECES = 4 * 1_048_576;
const PIECE = 4 * 1_048_576;
const AT_ONCE = 3;
const QUERY = {
  fields: ['id', 'title', 'type', 'filename_download', 'filesize', 'width', 'height'],
};

export interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 100. */
  readonly percent: number;
  readonly error: unknown;
  readonly cancel: () => void;
  /** Goes on after it failed. */
  readonly retry: () => void;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly onPercent: (percent: number) => void;
}

/** The name under which the browser remembers an upload of the file. */
function memoryOf({ name, size, lastModified }: File): string {
  return `sluice.upload.${name}.${size}.${lastModified}`;
}

/** Forgets an upload that is not wanted any more, here and at the server. */
function giveUp(file: File): void {
  const begun = localStorage.getItem(memoryOf(file));
  if (begun === null) return;
  localStorage.removeItem(memoryOf(file));
  const headers = { 'tus-resumable': '1.0.0' };
  // One that cannot be removed now expires by itself.
  client
    .request('DELETE', `/files/tus/${encodeURIComponent(begun)}`, { headers })
    .catch(() => undefined);
}

async function sendInPieces(
  file: File,
  columns: FileColumns,
  { signal, onPercent }: SendOptions,
): Promise<Item | null> {
  const memory = memoryOf(file);
  const begun = localStorage.getItem(memory) ?? undefined;
  const send = (upload: string | undefined) =>
    client.files.upload(file, columns, {
      signal,
      query: QUERY,
      resumable: {
        pieceSize: PIECE,
        ...(upload !== undefined && { upload }),
        onBegin: (name) => localStorage.setItem(memory, name),
      },
      onProgress: ({ bytes }) => onPercent(Math.min(100, (100 * bytes) / file.size)),
    });
  const whole = async () => {
    try {
      return await send(begun);
    } catch (error) {
      // An upload that is over or too old is begun anew.
      const isGone = error instanceof SluiceError && [403, 404, 410].includes(error.status);
      if (begun === undefined || !isGone) throw error;
      return await send(undefined);
    }
  };
  const stored = await whole();
  localStorage.removeItem(memory);
  return stored;
}

async function sendFile(
  file: File,
  columns: FileColumns,
  options: SendOptions,
): Promise<Item | null> {
  if (file.size > IN_PIECES) return sendInPieces(file, columns, options);
  const { signal, onPercent } = options;
  const onProgress = ({ bytes, total }: { bytes: number; total: number | null }) =>
    onPercent(total === null ? 0 : Math.min(100, (100 * bytes) / total));
  return client.files.upload(file, columns, { signal, query: QUERY, onProgress });
}

/** Lets a few go at a time; the others wait for their turn. */
function useTurns() {
  const going = useRef(0);
  const waiting = useRef<(() => void)[]>([]);
  const turn = useCallback(async () => {
    if (going.current === AT_ONCE) {
      await new Promise<void>((resolve) => {
        waiting.current.push(resolve);
      });
    } else {
      going.current += 1;
    }
  }, []);
  /** Called by each that had its turn, when it has ended. */
  const pass = useCallback(() => {
    const next = waiting.current.shift();
    if (next === undefined) going.current -= 1;
    else next();
  }, []);
  return { turn, pass };
}

/** The uploads of a place, and how to begin one. */
export function useUploads(onUploaded: (file: Item) => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const last = useRef(0);
  const count = useRunningUploads();
  const { turn, pass } = useTurns();
  const controls = useRef(new Set<AbortController>());
  // What is left is not sent any more; the same file goes on from there.
  useEffect(() => {
    const known = controls.current;
    return () => {
      for (const control of known) control.abort();
    };
  }, []);
  const begin = useCallback(
    (file: File, columns: FileColumns = {}) => {
      last.current += 1;
      const id = last.current;
      const control = new AbortController();
      const change = (part: Partial<Upload>) =>
        setUploads((known) => known.map((one) => (one.id === id ? { ...one, ...part } : one)));
      const drop = () => setUploads((known) => known.filter((one) => one.id !== id));
      const run = async () => {
        change({ error: null });
        const end = count();
        let failed = false;
        controls.current.add(control);
        try {
          const onPercent = (percent: number) => change({ percent });
          await turn();
          control.signal.throwIfAborted();
          const stored = await sendFile(file, columns, { signal: control.signal, onPercent });
          drop();
          if (stored !== null) onUploaded(stored);
        } catch (error) {
          failed = !control.signal.aborted;
          if (failed) change({ error });
          else drop();
        } finally {
          pass();
          controls.current.delete(control);
          end(failed);
        }
      };
      const cancel = () => {
        control.abort();
        giveUp(file);
        drop();
      };
      const retry = () => void run();
      setUploads((known) => [
        ...known,
        { id, name: file.name, percent: 0, error: null, cancel, retry },
      ]);
      void run();
    },
    [onUploaded, count, turn, pass],
  );
  return { uploads, begin };
}

/** Uploads that go on where they broke off, by tus 1.0. */
import { NetworkError, SluiceError, TimeoutError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { pause, pauseAfter } from './retry.ts';
import type { Transport } from './transport.ts';
import { type NamedContent, sending, type UploadProgress } from './upload.ts';

export interface ResumableOptions extends CallOptions {
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** The name of an upload that was begun before, to go on with it. */
  readonly upload?: string | undefined;
  /** Told the name of the upload before its first byte is sent. */
  readonly onBegin?: ((upload: string) => void) | undefined;
  /** Bytes of one request; 16 MiB by default. */
  readonly pieceSize?: number | undefined;
}

const PROTOCOL = { 'tus-resumable': '1.0.0' };
const PIECE = 16 * 1_048_576;

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function metadataOf(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',');
}

/** Whether sending again from where the server is could help; time-outs too, as nothing is lost. */
function pauseFor(error: unknown, failures: number, { options: { retry = {} } }: Transport) {
  if (retry === false || !(error instanceof SluiceError)) return null;
  // Another request still holds the upload (423), or has moved it on (409).
  const passes = error instanceof TimeoutError || error.status === 409 || error.status === 423;
  return pauseAfter(passes ? new NetworkError(error.message) : error, failures, retry);
}

/** Sends a file in pieces and yields the key of its row. */
export async function uploadResumably(
  transport: Transport,
  { name, type, content }: NamedContent,
  columns: Readonly<Record<string, string>>,
  options: ResumableOptions = {},
): Promise<string> {
  const { onProgress, onBegin, pieceSize = PIECE, upload: known, ...call } = options;
  if (!(content instanceof Blob)) throw new TypeError('A resumable upload needs a Blob or a File.');
  const total = content.size;
  const ask = (method: string, path: string, headers: object, more: object = {}) =>
    transport.answer<unknown>(method, path, {
      ...call,
      headers: { ...call.headers, ...PROTOCOL, ...headers },
      ...more,
    });

  async function begin(): Promise<string> {
    const metadata = metadataOf({
      ...columns,
      filename_download: name,
      ...(type && { filetype: type }),
    });
    const facts = { 'upload-length': String(total), 'upload-metadata': metadata };
    const { headers } = await ask('POST', '/files/tus', facts);
    return headers.get('location')?.split('/').at(-1) ?? '';
  }

  const upload = known ?? (await begin());
  onBegin?.(upload);
  const path = `/files/tus/${encodeURIComponent(upload)}`;
  let offset: number | null = known === undefined && total > 0 ? 0 : null;
  // Only failures without progress count against it: a long file may meet many.
  let reached = 0;
  for (let failures = 0; ; ) {
    try {
      if (offset === null) {
        const { headers } = await ask('HEAD', path, {});
        offset = Number(headers.get('upload-offset'));
        if (offset > reached) failures = 0;
        reached = Math.max(reached, offset);
        const file = headers.get('file-id');
        if (file !== null) return file;
      }
      const from = offset;
      const tell = ({ bytes }: UploadProgress) => onProgress?.({ bytes: from + bytes, total });
      const { headers } = await ask(
        'PATCH',
        path,
        { 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' },
        { body: content.slice(from, from + pieceSize), send: sending(tell) },
      );
      offset = Number(headers.get('upload-offset'));
      reached = Math.max(reached, offset);
      failures = 0;
      const file = headers.get('file-id');
      if (file !== null) return file;
      // All has arrived, and the key of the file is to be asked for.
      if (offset >= total) offset = null;
    } catch (error) {
      failures += 1;
      const wait = pauseFor(error, failures, transport);
      if (wait === null) throw error;
      await pause(wait, call.signal);
      offset = null;
    }
  }
}

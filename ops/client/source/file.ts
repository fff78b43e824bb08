/** Files: their rows, and how bytes come in and go out. */
import type { CallOptions } from './options.ts';
import { type LooseQuery, membersOf, parametersOf } from './query.ts';
import type { Transport } from './transport.ts';
import { type ResumableOptions, uploadResumably } from './tus.ts';
import { type FileInput, formOf, namedContent, sending, type UploadProgress } from './upload.ts';

/** Fields of a file that an upload sets. */
export type FileColumns = Readonly<Record<string, string | number | boolean | null | object>>;

export interface UploadOptions extends CallOptions {
  /** What is read of the stored file. */
  readonly query?: LooseQuery | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Sends it in pieces, and goes on where a connection broke. */
  readonly resumable?:
    | boolean
    | Pick<ResumableOptions, 'upload' | 'onBegin' | 'pieceSize'>
    | undefined;
}

export interface SignedUrl {
  readonly url: string;
  readonly expires: string;
}

/** How the bytes of files come in. */
export interface Uploads<Row = Record<string, unknown>> {
  /** Stores a file, with fields such as `title` and `folder`. */
  upload(file: FileInput, columns?: FileColumns, options?: UploadOptions): Promise<Row | null>;
  /** Stores several files, all or none. */
  uploadMany(
    files: readonly { readonly file: FileInput; readonly columns?: FileColumns }[],
    options?: Omit<UploadOptions, 'resumable'>,
  ): Promise<Row[] | null>;
  /** Gives a file other content; its key stays. */
  replace(
    key: string,
    file: FileInput,
    columns?: FileColumns,
    options?: Omit<UploadOptions, 'resumable'>,
  ): Promise<Row | null>;
  /** Lets the server fetch a file from a URL. */
  importUrl(
    url: string,
    columns?: FileColumns,
    options?: CallOptions & { readonly query?: LooseQuery; readonly types?: readonly string[] },
  ): Promise<Row | null>;
  /** A URL that works without a token until it expires; `expires` is in seconds. */
  signUrl(
    key: string,
    options?: CallOptions & { readonly expires?: number; readonly download?: boolean },
  ): Promise<SignedUrl>;
}

/** Forms of an image; see the documentation of files. */
export interface Transformation {
  readonly key?: string;
  readonly width?: number;
  readonly height?: number;
  readonly fit?: 'cover' | 'contain' | 'inside' | 'outside';
  readonly quality?: number;
  readonly withoutEnlargement?: boolean;
  readonly format?: 'auto' | 'jpg' | 'png' | 'webp' | 'tiff' | 'avif';
  readonly focal_point_x?: number;
  readonly focal_point_y?: number;
  readonly transforms?: readonly (readonly unknown[])[];
  readonly download?: boolean;
}

export interface Assets {
  /** The URL of a file or of a form of it, without a token: for public files and mode `session`. */
  url(file: string, transformation?: Transformation): string;
  read(file: string, transformation?: Transformation, options?: CallOptions): Promise<Response>;
  /** Files, or those of a folder, as an archive. */
  zip(
    what: readonly string[] | { readonly folder: string },
    options?: CallOptions,
  ): Promise<Response>;
}

function textOf(value: FileColumns[string]): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function textParts(columns: FileColumns = {}): [string, string][] {
  return Object.entries(columns).map(([name, value]) => [name, textOf(value)]);
}

export function createUploads<Row = Record<string, unknown>>(transport: Transport): Uploads<Row> {
  const { request } = transport;

  async function store<T>(
    method: string,
    path: string,
    files: readonly { readonly file: FileInput; readonly columns?: FileColumns | undefined }[],
    options: UploadOptions = {},
  ): Promise<T> {
    const { query = {}, onProgress, resumable: _, ...call } = options;
    const parts = files.flatMap(({ file, columns }) => [
      ...textParts(columns),
      ['file', namedContent(file)] as const,
    ]);
    const { body, headers } = await formOf(parts);
    return request(method, path, {
      ...call,
      headers: { ...call.headers, ...headers },
      query: membersOf(query),
      body,
      send: sending(onProgress),
    });
  }

  return {
    async upload(file, columns, options = {}) {
      const { resumable, query, ...call } = options;
      if (!resumable) return store('POST', '/files', [{ file, columns }], options);
      const more = typeof resumable === 'object' ? resumable : {};
      const texts = Object.fromEntries(textParts(columns));
      const content = namedContent(file);
      const id = await uploadResumably(transport, content, texts, { ...call, ...more });
      const path = `/files/${encodeURIComponent(id)}`;
      return request('GET', path, { ...call, query: membersOf(query ?? {}) });
    },
    uploadMany: (files, options) => store('POST', '/files', files, options),
    replace: (key, file, columns, options) =>
      store('PATCH', `/files/${encodeURIComponent(key)}`, [{ file, columns }], options),
    importUrl: (url, data, { query = {}, types, ...options } = {}) =>
      request('POST', '/files/import', {
        ...options,
        query: membersOf(query),
        body: { url, data, options: types && { filterMimeType: types } },
      }),
    signUrl: (key, { expires, download, ...options } = {}) =>
      request('POST', `/files/${encodeURIComponent(key)}/url`, {
        ...options,
        body: { expires, download },
      }),
  };
}

function parametersOfForm({ transforms, download, ...others }: Transformation = {}) {
  return {
    ...others,
    ...(transforms && { transforms: JSON.stringify(transforms) }),
    ...(download && { download }),
  };
}

export function createAssets(transport: Transport): Assets {
  const at = (file: string) => `/assets/${encodeURIComponent(file)}`;
  return {
    url(file, transformation) {
      const parameters = parametersOf(parametersOfForm(transformation));
      return `${transport.url}${at(file)}${parameters && `?${parameters}`}`;
    },
    read: (file, transformation, options) =>
      transport.open('GET', at(file), { ...options, query: parametersOfForm(transformation) }),
    zip: (what, options) =>
      'folder' in what
        ? transport.open('POST', `/assets/folder/${encodeURIComponent(what.folder)}`, options)
        : transport.open('POST', '/assets/files', { ...options, body: { ids: what } }),
  };
}

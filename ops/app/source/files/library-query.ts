/** What the library shows: its place in the address, and the queries of files and folders. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { mayField } from '../data/rights.ts';
import type { Filter, Item, Rights } from '../data/schema-types.ts';

export const FILES = 'system_files';
export const FOLDERS = 'system_folders';

/** The place of files without a folder, in the address. */
export const NO_FOLDER = 'none';
export const PER_PAGE = 60;

const SHOWN = [
  ...['id', 'title', 'type', 'filename_download', 'filesize', 'width', 'height'],
  ...['folder', 'created_on', 'modified_on'],
];

/** Office formats, by parts of their names. */
const OFFICE = [
  'document',
  'sheet',
  'excel',
  'presentation',
  'powerpoint',
  'msword',
  'rtf',
  'epub',
];

const TYPE_FILTERS = {
  image: { type: { _starts_with: 'image/' } },
  video: { type: { _starts_with: 'video/' } },
  audio: { type: { _starts_with: 'audio/' } },
  document: {
    _or: [
      { type: { _starts_with: 'text/' } },
      { type: { _eq: 'application/pdf' } },
      ...OFFICE.map((part) => ({ type: { _contains: part } })),
    ],
  },
} as const satisfies Readonly<Record<string, Filter>>;

export type FileType = keyof typeof TYPE_FILTERS;
export const FILE_TYPES: readonly FileType[] = ['image', 'video', 'audio', 'document'];

/** The orders of files, by their names in the address. */
export const SORTS = {
  newest: '-created_on',
  oldest: 'created_on',
  name: 'title',
  largest: '-filesize',
  smallest: 'filesize',
} as const;

export type FileSort = keyof typeof SORTS;
export const FILE_SORTS: readonly FileSort[] = ['newest', 'oldest', 'name', 'largest', 'smallest'];

export interface LibraryState {
  readonly search: string;
  /** The key of a folder, {@link NO_FOLDER}, or null for the whole library. */
  readonly folder: string | null;
  readonly type: FileType | null;
  readonly sort: FileSort;
  readonly page: number;
}

export function libraryState(parameters: URLSearchParams): LibraryState {
  return {
    search: parameters.get('search') ?? '',
    folder: parameters.get('folder'),
    type: FILE_TYPES.find((type) => type === parameters.get('type')) ?? null,
    sort: FILE_SORTS.find((sort) => sort === parameters.get('sort')) ?? 'newest',
    page: Math.max(1, Number(parameters.get('page')) || 1),
  };
}

/** The fields of files that the caller may read, of these. */
export function readable(rights: Rights, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => mayField(rights, FILES, 'read', field));
}

function filterOf({ folder, type }: LibraryState): Filter {
  const inFolder = folder === NO_FOLDER ? { _null: true } : { _eq: folder };
  return {
    _and: [
      ...(folder === null ? [] : [{ folder: inFolder }]),
      ...(type === null ? [] : [TYPE_FILTERS[type]]),
    ],
  };
}

export const filesQuery = (state: LibraryState, rights: Rights) => {
  const { search, folder, type, sort, page } = state;
  const order = SORTS[sort];
  const isSortable = mayField(rights, FILES, 'read', order.replace('-', ''));
  const query = {
    fields: readable(rights, SHOWN),
    limit: PER_PAGE,
    page,
    ...((folder !== null || type !== null) && { filter: filterOf(state) }),
    ...(search.trim() !== '' && { search: search.trim() }),
    ...(isSortable && { sort: [order] }),
  };
  return queryOptions({
    queryKey: ['items', FILES, 'list', 'library', query],
    queryFn: ({ signal }) =>
      client.items(FILES).page({ ...query, meta: ['filter_count'] }, { signal }),
    placeholderData: keepPreviousData,
  });
};

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
}

/** All folders that the caller may read. */
export const foldersQuery = queryOptions({
  queryKey: ['items', FOLDERS, 'list', 'library'],
  queryFn: ({ signal }): Promise<Folder[]> =>
    client.request('GET', '/folders', {
      query: { fields: ['id', 'name', 'parent'], sort: ['name'], limit: -1 },
      signal,
    }),
});

export const LIBRARY = '/files';

/** The path of the library at a place. */
export function placePath(folder: string | null): string {
  return folder === null ? LIBRARY : `${LIBRARY}?folder=${encodeURIComponent(folder)}`;
}

/** The path of the screen of a file. */
export function filePath(id: string): string {
  return `${LIBRARY}/${encodeURIComponent(id)}`;
}

/** What a file is called. */
export function fileName(file: Item): string {
  return String(file.title || file.filename_download || file.id);
}

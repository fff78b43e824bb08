/** Serves the bytes of files to callers that may read their rows. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { OCTET_STREAM } from '#core/files/media-type.ts';
import type { ByteRange, ShownFile } from '#core/files/storage/storage.ts';
import type { Place } from '#core/files/unclaimed-content.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { referencesTo } from '#core/model/system-collections/registry.ts';
import { readableRows, type TableRows } from '#core/read/sql/table-rows.ts';
import { type ContextOptions, ContextSource } from '../request-context.ts';
import type { FileStore } from './file-store.ts';
import { foldersBelow } from './folder-files.ts';

export const FILES = systemName('files');

/** A file with its bytes. */
export interface Asset extends Place {
  readonly id: string;
  readonly filename: string;
  readonly type: string;
  readonly bytes: number;
  /** Differs whenever the bytes differ. */
  readonly version: string;
  /** SHA-256 of the bytes in hexadecimal; null when it is unknown. */
  readonly sha256: string | null;
  readonly modified: Date;
  readonly folder: string | null;
  /** In pixels from the upper left corner; null when it was never set. */
  readonly focus: { readonly x: number; readonly y: number } | null;
  /** Of an image, in pixels; null when it was not measured. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

const COLUMNS = [
  ...['id', 'storage', 'filename_disk', 'filename_download', 'type', 'filesize', 'sha256'],
  ...['uploaded_on', 'modified_on', 'folder', 'focal_point_x', 'focal_point_y', 'width', 'height'],
];

/** A row as it is read; driver types are those of `pg`. */
interface Row {
  readonly id: string;
  readonly storage: string;
  readonly filename_disk: string | null;
  readonly filename_download: string;
  readonly type: string | null;
  readonly filesize: string | null;
  readonly sha256: string | null;
  readonly uploaded_on: Date | null;
  readonly modified_on: Date;
  readonly folder: string | null;
  readonly focal_point_x: number | null;
  readonly focal_point_y: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** Maximum files of one archive. */
const MOST_FILES = 10_000;

/** A folder with its files. */
export interface FolderFiles {
  readonly name: string;
  readonly files: readonly {
    readonly asset: Asset;
    /** The folders below the requested one, each with a slash. */
    readonly path: string;
  }[];
}

function withKeys(ids: readonly string[]) {
  return (table: TableRows) => table.hasKey(ids.map((id) => [id]));
}

const uuid = v.pipe(v.string(), v.uuid());

/** The settings whose files are public, because the login page shows them. */
const PUBLIC = referencesTo('files')
  .filter(({ collection }) => collection === 'settings')
  .map(({ field }) => raw(field));

export interface AssetOptions extends ContextOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly store: FileStore;
}

export class AssetService {
  readonly #options: AssetOptions;
  readonly #contexts: ContextSource;

  constructor(options: AssetOptions) {
    this.#options = options;
    this.#contexts = new ContextSource(options);
  }

  /**
   * The file of a key.
   * @throws ServiceError FORBIDDEN when no file with bytes exists that the caller may read
   */
  async find(caller: Caller, id: string): Promise<Asset> {
    if (!v.is(uuid, id)) throw forbidden();
    const [row = await this.#publicFile(id)] = await this.#readable(caller, withKeys([id]));
    if (row === undefined) throw forbidden();
    return await this.#asset(row);
  }

  /** @throws ServiceError FORBIDDEN when the caller may read no files at all */
  async admit(caller: Caller): Promise<void> {
    const { grants } = await this.#contexts.of({ caller, collection: FILES });
    if (grants.of(FILES) === null) throw forbidden();
  }

  /**
   * Files by their keys, in order.
   * @throws ServiceError FORBIDDEN when one does not exist or the caller may not read it
   */
  async some(caller: Caller, ids: readonly string[]): Promise<Asset[]> {
    const distinct = [...new Set(ids.map((id) => id.toLowerCase()))];
    if (distinct.length > MOST_FILES || !distinct.every((id) => v.is(uuid, id))) throw forbidden();
    const rows = await this.#readable(caller, withKeys(distinct));
    const byId = new Map(rows.map((row) => [row.id, row]));
    const found = distinct.map((id) => byId.get(id)).filter((row) => row !== undefined);
    if (found.length < distinct.length) throw forbidden();
    return await Promise.all(found.map((row) => this.#asset(row)));
  }

  /**
   * The files of a folder and of its subfolders, with their paths.
   * @throws ServiceError FORBIDDEN; CONTENT_TOO_LARGE when there are too many
   */
  async inFolder(caller: Caller, id: string): Promise<FolderFiles> {
    if (!v.is(uuid, id)) throw forbidden();
    const { pool } = this.#options;
    const folders = await foldersBelow(this.#contexts, pool, caller, id);
    const paths = new Map(folders.map((folder) => [folder.id, folder.path]));
    const rows = await this.#readable(
      caller,
      (table) => sql`${table.column('folder')} = ANY(${[...paths.keys()]}::uuid[])`,
    );
    if (rows.length > MOST_FILES) {
      const why = reason('archive_too_large', { limit: MOST_FILES });
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: MOST_FILES, reason: why });
    }
    const stored = rows.filter((row) => row.filename_disk !== null);
    const assets = await Promise.all(stored.map((row) => this.#asset(row)));
    return {
      name: folders[0]?.name ?? 'folder',
      files: assets.map((asset) => ({ asset, path: paths.get(asset.folder ?? '') ?? '' })),
    };
  }

  /** Reads bytes as a stream, which is opened when the first piece is requested. */
  read({ storage, name }: Place, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.#options.store.read({ storage, name }, range);
  }

  /** A URL from which the client downloads bytes directly from their storage; null if it cannot. */
  async url(place: Place, shown: ShownFile): Promise<string | null> {
    return await this.#options.store.url(place, shown);
  }

  /** The same in pieces that are valid until the next one is requested. */
  lend({ storage, name }: Place, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.#options.store.lend({ storage, name }, range);
  }

  async #readable(caller: Caller, isWanted: (table: TableRows) => Sql): Promise<readonly Row[]> {
    const work = () =>
      this.#contexts.with({ caller, collection: FILES }, async (context) => {
        const rows = readableRows(context);
        const columns = join(COLUMNS.map((name) => rows.column(name)));
        return await this.#rows(
          sql`SELECT ${columns} FROM ${rows.from}${rows.where([isWanted(rows)])} LIMIT ${MOST_FILES + 1}`,
        );
      });
    try {
      return await work();
    } catch (error) {
      // Without permissions on files, some files are still public.
      if (error instanceof ServiceError && error.code === 'FORBIDDEN') return [];
      throw error;
    }
  }

  async #publicFile(id: string): Promise<Row | undefined> {
    const { schema } = this.#options;
    const columns = join(COLUMNS.map((name) => raw(name)));
    const [row] = await this.#rows(sql`SELECT ${columns} FROM ${systemTable(schema, 'files')}
      WHERE id = ${id}::uuid AND EXISTS (SELECT FROM ${systemTable(schema, 'settings')}
        WHERE ${id}::uuid IN (${join(PUBLIC)}))`);
    return row;
  }

  async #rows(statement: Sql): Promise<readonly Row[]> {
    return (await this.#options.pool.query<Row>(render(statement))).rows;
  }

  /** @throws ServiceError FORBIDDEN for a file without bytes; SERVICE_UNAVAILABLE */
  async #asset(row: Row): Promise<Asset> {
    const { storage, filename_disk: name, focal_point_x: x, focal_point_y: y } = row;
    const { width, height } = row;
    if (name === null) throw forbidden(reason('file_without_content'));
    const place = { storage, name };
    return {
      ...place,
      ...{ id: row.id, filename: row.filename_download, folder: row.folder },
      type: row.type ?? OCTET_STREAM,
      bytes: row.filesize === null ? await this.#options.store.size(place) : Number(row.filesize),
      version: row.sha256 ?? name,
      sha256: row.sha256,
      modified: row.uploaded_on ?? row.modified_on,
      focus: x === null || y === null ? null : { x, y },
      size: width === null || height === null ? null : { width, height },
    };
  }
}

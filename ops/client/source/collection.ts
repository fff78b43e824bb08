/** What collections of users have besides the calls for items: files that come and go, and changes. */
import type { Change, Live, SubscribeOptions } from './live.ts';
import type { CallOptions } from './options.ts';
import { collectionPath } from './path.ts';
import {
  type ExportedFile,
  type ExportFormat,
  type ExportOptions,
  eachItem,
  exportFile,
  exportStream,
  type ImportedObjects,
  type ImportOptions,
  type ImportResult,
  type ImportSource,
  importFile,
  importObjects,
  type ObjectsToImport,
  type Run,
} from './transfer.ts';
import type { Transport } from './transport.ts';
import type { AnySchema, Checked, ItemOf, ListQuery } from './types/index.ts';
import type { FileInput } from './upload.ts';

type Nothing = Record<never, never>;
type Listing<S, C, Q> = Q & Checked<S, C, Q, ListQuery<S, C>>;

export interface Transfers<S = AnySchema, C extends string = string> {
  /**
   * Imports the rows of a file that is sent, of a file of `/files`, of an object of a location, or of
   * a file that the server fetches from a URL: `await` it, or iterate over its progress.
   */
  import(file: FileInput | ImportSource, options?: ImportOptions): Run<ImportResult>;
  /** Begins imports of the objects of a location that are not imported yet; administrators only. */
  importObjects(
    objects: ObjectsToImport,
    options?: Omit<ImportOptions, 'idempotencyKey'>,
  ): Promise<ImportedObjects>;
  /** Writes items to a file: `await` it, or iterate over its progress. */
  export<const Q extends ListQuery<S, C> = Nothing>(
    format: ExportFormat,
    query?: Listing<S, C, Q>,
    options?: ExportOptions,
  ): Run<ExportedFile>;
  /** Reads items in a format for files, as a stream; all unless `limit` says less. */
  stream<const Q extends ListQuery<S, C> = Nothing>(
    format: ExportFormat,
    query?: Listing<S, C, Q>,
    options?: CallOptions,
  ): Promise<Response>;
  /** Reads items one by one, however many there are. */
  each<const Q extends ListQuery<S, C> = Nothing>(
    query?: Listing<S, C, Q>,
    options?: CallOptions,
  ): AsyncGenerator<ItemOf<S, C, Q>, void, undefined>;
  /** The items as they are, and then each change; see `Change`. */
  subscribe<const Q extends ListQuery<S, C> = Nothing>(
    options?: SubscribeOptions<Listing<S, C, Q>>,
  ): AsyncGenerator<Change<ItemOf<S, C, Q>>, void, undefined>;
}

export function createTransfers<S = AnySchema, C extends string = string>(
  transport: Transport,
  live: Live,
  collection: C,
): Transfers<S, C> {
  const read = (format: ExportFormat, query?: object, options?: CallOptions) =>
    exportStream(transport, collectionPath(collection), format, query, options);
  return {
    import: (file, options) => importFile(transport, collection, file, options),
    importObjects: (objects, options) => importObjects(transport, collection, objects, options),
    export: (format, query, options) => exportFile(transport, collection, format, query, options),
    stream: read,
    each: (query, options) => eachItem(() => read('ndjson', query, options)),
    subscribe: (options) => live.subscribe(collection, options),
  };
}

/** The values of one column in a row group: page by page, or at once for documents. */

import type { ColumnMetaData, DecodedArray, RowGroup, SchemaTree } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import {
  damagedParquet,
  EXACT_PARSERS,
  PAGE_BYTES_MAX,
  PageReader,
  type PageSource,
  partTooLarge,
} from './page-reader.ts';
import type { ParquetColumn } from './parquet-schema.ts';

/** Delivers the values of a column. */
export interface ColumnCursor {
  /** The values that are read, and the position of the next one. */
  values: DecodedArray;
  at: number;
  /** Reads more values; false at the end. */
  more(): boolean;
}

const EMPTY: DecodedArray = [];

class FlatCursor implements ColumnCursor {
  values = EMPTY;
  at = 0;
  readonly #pages: PageReader;

  constructor(pages: PageReader) {
    this.#pages = pages;
  }

  more(): boolean {
    // The memory of the last page is free before the next one is read.
    this.values = EMPTY;
    this.at = 0;
    this.values = this.#pages.next() ?? EMPTY;
    return this.values.length > 0;
  }
}

/** All values of a leaf: those of a row may be on two pages. */
function allValues(pages: PageReader): DecodedArray {
  let all: DecodedArray | undefined;
  for (;;) {
    const next = pages.next(all);
    if (next === null) return all ?? [];
    if (all === undefined || next === all) all = next;
    else all = [...all, ...next];
  }
}

class NestedCursor implements ColumnCursor {
  values = EMPTY;
  at = 0;
  readonly #read: () => DecodedArray;
  #isRead = false;

  constructor(read: () => DecodedArray) {
    this.#read = read;
  }

  more(): boolean {
    if (this.#isRead) return false;
    this.#isRead = true;
    this.values = this.#read();
    return this.values.length > 0;
  }
}

function metaOf(group: RowGroup, path: readonly string[]): ColumnMetaData {
  const name = path.join('.');
  const found = group.columns.find(({ meta_data }) => meta_data?.path_in_schema.join('.') === name);
  if (found?.meta_data === undefined) throw damagedParquet(`the column ${name} is missing`);
  return found.meta_data;
}

/** The nodes from the root of the schema to a leaf of a column. */
function pathTo(root: SchemaTree, column: SchemaTree, leaf: readonly string[]): SchemaTree[] {
  const path = [root, column];
  for (const name of leaf.slice(1)) {
    const child = path.at(-1)?.children.find(({ element }) => element.name === name);
    if (child !== undefined) path.push(child);
  }
  return path;
}

/** Opens a column of a row group. @throws ServiceError CONTENT_TOO_LARGE */
export function openColumn(
  { root, ...source }: PageSource & { readonly root: SchemaTree },
  group: RowGroup,
  { plain, leaves, isFlat }: ParquetColumn,
): ColumnCursor {
  const metas = leaves.map((leaf) => ({ leaf, meta: metaOf(group, leaf) }));
  const pagesOf = ({ leaf, meta }: (typeof metas)[number]) =>
    new PageReader(source, meta, pathTo(root, plain, leaf));
  const [first] = metas;
  if (isFlat && first !== undefined) return new FlatCursor(pagesOf(first));
  const size = metas.reduce((sum, { meta }) => sum + Number(meta.total_uncompressed_size), 0);
  if (size > PAGE_BYTES_MAX) throw partTooLarge(size);
  return new NestedCursor(() => {
    const values = new Map(metas.map((one) => [one.leaf.join('.'), allValues(pagesOf(one))]));
    assembleNested(values, plain, EXACT_PARSERS);
    return values.get(plain.element.name) ?? [];
  });
}

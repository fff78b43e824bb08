/** What a list asks of the API for its state and columns. */
import { keyFields } from '../data/item-key.ts';
import type { Collection, Field, Filter } from '../data/schema-types.ts';
import { type Column, columnPaths } from '../display/columns.ts';
import { archiveFilter } from './archive.ts';
import type { ListState } from './list-state.ts';

export interface ListQuery {
  readonly fields: readonly string[];
  readonly filter?: Filter;
  readonly search?: string;
  readonly sort?: readonly string[];
  readonly limit: number;
  readonly page: number;
}

/** The conditions of a list, joined; null for none. */
export function listFilter(collection: Collection, state: ListState): Filter | null {
  const parts = [state.filter, archiveFilter(collection, state.archive)].filter(
    (part) => part !== null,
  );
  const [only, ...others] = parts;
  return only === undefined ? null : others.length === 0 ? only : { _and: parts };
}

/** The query of a list. */
export function listQuery(
  collection: Collection,
  fields: readonly Field[],
  columns: readonly Column[],
  templates: ReadonlyMap<string, string>,
  state: ListState,
): ListQuery {
  const paths = columns.flatMap((column) => columnPaths(column, templates));
  const filter = listFilter(collection, state);
  const sortField = collection.meta?.sort_field;
  const own = [...keyFields(fields), ...(sortField ? [sortField] : [])];
  return {
    fields: [...new Set([...own, ...paths])],
    ...(filter !== null && { filter }),
    ...(state.search !== '' && { search: state.search }),
    ...(state.sort.length > 0 && { sort: state.sort }),
    limit: state.limit,
    page: state.page,
  };
}

/** What a list asks of the API for its state and columns. */
import { keyFields } from '../data/item-key.ts';
import type { Collection, Field, Filter } from '../data/schema-types.ts';
import { templatePaths } from '../display/template.ts';
import { archiveFilter } from './archive.ts';
import type { Column } from '../display/columns.ts';
import type { ListState } from './list-state.ts';

/** The paths that a column reads, where `templates` has the templates of related collections. */
function columnPaths(
  { field, relation }: Column,
  templates: ReadonlyMap<string, string>,
): readonly string[] {
  const name = field.field;
  if (relation === null) return [name];
  if (relation.kind !== 'm2o') return [`count(${name})`];
  const paths = templatePaths(templates.get(relation.related) ?? '');
  const extra = relation.related === 'system_files' ? ['id', 'type', 'title'] : [];
  const all = [...new Set([...paths, ...extra])];
  return all.length === 0 ? [name] : all.map((path) => `${name}.${path}`);
}

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

/** What a view of a collection is given, and how it reads items. */

import { keyFields, keyOf } from '../data/item-key.ts';
import type { Collection, Field, Filter, Item } from '../data/schema-types.ts';
import { type Column, columnPaths } from '../display/columns.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import type { LayoutOptions } from './layout.ts';

/** What a list asks for, whichever way it is shown. */
export interface Asked {
  /** The filter of the list and its archive; null for none. */
  readonly filter: Filter | null;
  readonly search: string;
  readonly sort: readonly string[];
  /** The condition of the archive alone. */
  readonly archive: Filter | null;
  /** Whether neither the search nor a filter leaves items out. */
  readonly isWhole: boolean;
}

export interface ViewProps {
  readonly title: string;
  readonly collection: Collection;
  readonly fields: readonly Field[];
  /** All columns that a list of the collection can have. */
  readonly possible: readonly Column[];
  /** The columns that were chosen, for facts beside the titles. */
  readonly columns: readonly Column[];
  /** The fields that the view can be made by, the best first. */
  readonly candidates: readonly Column[];
  readonly template: string;
  /** The templates of related collections. */
  readonly templates: ReadonlyMap<string, string>;
  readonly asked: Asked;
  readonly options: LayoutOptions;
  readonly onOptions: (options: LayoutOptions) => void;
}

/** How many facts stand below a title. */
const FACTS = 2;

/** The columns that tell something beside the title and the field that the view is made by; no pictures. */
export function factsOf(
  { columns, template }: Pick<ViewProps, 'columns' | 'template'>,
  by: readonly string[],
): readonly Column[] {
  const said = new Set([...templatePaths(template), ...by]);
  return columns
    .filter(
      ({ field, relation }) =>
        !said.has(field.field) &&
        !field.schema?.is_primary_key &&
        !(relation?.kind === 'm2o' && relation.related === 'system_files'),
    )
    .slice(0, FACTS);
}

/** The fields that a view reads of each item: its key, what it is called, and more columns. */
export function fieldsToRead(
  { fields, template, templates }: Pick<ViewProps, 'fields' | 'template' | 'templates'>,
  columns: readonly Column[],
  more: readonly string[],
): readonly string[] {
  const paths = columns.flatMap((column) => columnPaths(column, templates));
  return [...new Set([...keyFields(fields), ...templatePaths(template), ...paths, ...more])];
}

/** What an item is called; its key when nothing names it. */
export function nameOf({ fields, template }: Pick<ViewProps, 'fields' | 'template'>, item: Item) {
  return fillTemplate(template, item) || (keyOf(fields, item) ?? '');
}

/** Conditions that all hold; null for none. */
export function allOf(...filters: readonly (Filter | null)[]): Filter | null {
  const given = filters.filter((filter) => filter !== null);
  const [only, ...others] = given;
  if (only === undefined) return null;
  return others.length === 0 ? only : { _and: given };
}

/** The members of a query that come from the list. */
export function queryOf({ search, sort }: Asked, filter: Filter | null) {
  return {
    ...(filter !== null && { filter }),
    ...(search !== '' && { search }),
    ...(sort.length > 0 && { sort }),
  };
}

/** Reads related items: one by its key, and what it is called. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Key } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { keyFields } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';

/** What is read of a related item to show what it is. */
export function shownPaths(
  collection: string,
  fields: readonly Field[],
  template: string,
): readonly string[] {
  const file = collection === 'system_files' ? ['type', 'title', 'filename_download'] : [];
  return [...new Set([...keyFields(fields), ...templatePaths(template), ...file])];
}

/** The columns of an item, without the lists that lead away from it. */
export function columnsToRead(fields: readonly Field[]): readonly string[] {
  const columns = fields.filter(({ type }) => type !== 'alias').map(({ field }) => field);
  return columns.length === fields.length ? ['*'] : columns;
}

/** An item with all its columns. */
export const itemQuery = (collection: string, key: Key, fields: readonly Field[]) =>
  queryOptions({
    queryKey: ['items', collection, 'columns', key],
    queryFn: ({ signal }): Promise<Item> =>
      client.items(collection).get(key, { fields: columnsToRead(fields) }, { signal }),
  });

/**
 * What an item is called in a template, or in that of its collection: by what is known of it, else by
 * what the server says about its key.
 */
export function useItemName(
  collection: string,
  key: Key | null,
  known: Item | null,
  own: string | null,
): string | null {
  const fields = useFields(collection);
  const general = useTemplate(collection);
  const template = own ?? general;
  const isKnown =
    known !== null && templatePaths(template).every((path) => (path.split('.')[0] ?? '') in known);
  const paths = shownPaths(collection, fields, template);
  const item = useQuery({
    queryKey: ['items', collection, 'name', key, paths],
    queryFn: ({ signal }): Promise<Item> =>
      client.items(collection).get(key ?? '', { fields: paths }, { signal }),
    enabled: key !== null && !isKnown && fields.length > 0 && template !== '',
  });
  const name = fillTemplate(template, { ...item.data, ...known });
  if (name !== '') return name;
  return item.isPending && item.fetchStatus !== 'idle' ? null : key === null ? '' : String(key);
}

/** What several items of a collection are called. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keyFields } from '../data/item-key.ts';
import { useFields, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { useTemplate } from './representation.ts';
import { fillTemplate, templatePaths } from './template.ts';

const NO_ITEMS: readonly Item[] = [];

/** The names of items by their keys; those that are not known are missing. */
export function useItemNames(
  collection: string,
  keys: readonly string[],
): ReadonlyMap<string, string> {
  const rights = useRights();
  const template = useTemplate(collection);
  const [key = '', ...others] = keyFields(useFields(collection));
  const fields = [...new Set([key, ...templatePaths(template)])];
  const query = { fields, filter: { [key]: { _in: keys } }, limit: -1 };
  const { data = NO_ITEMS } = useQuery({
    queryKey: ['items', collection, 'list', 'names', query],
    queryFn: ({ signal }): Promise<readonly Item[]> =>
      client.items(collection).list<object>(query, { signal }),
    enabled:
      key !== '' && others.length === 0 && keys.length > 0 && may(rights, collection, 'read'),
  });
  return new Map(data.map((item) => [String(item[key]), fillTemplate(template, item)]));
}

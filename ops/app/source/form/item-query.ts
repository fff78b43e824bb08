/** Reads the item of a form, with the tag by which the server knows whether it has changed since. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keyFromText } from '../data/item-key.ts';
import { mayField } from '../data/rights.ts';
import type { Field, Item, Rights } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';

/**
 * The columns that a form reads, without the lists that lead away from it: those are read by their
 * controls, and would change the tag with each of their rows.
 */
export function formFields(fields: readonly Field[], rights: Rights): readonly string[] {
  const readable = fields.filter(
    ({ collection, field, type }) =>
      type !== 'alias' && mayField(rights, collection, 'read', field),
  );
  return readable.map(({ field }) => field);
}

/** The item of a singleton with its tag. */
async function readSingleton(
  collection: string,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<Stored> {
  const isSystem = collection.startsWith('system_');
  const name = isSystem ? collection.slice('system_'.length) : collection;
  const path = `${isSystem ? '' : '/items'}/${encodeURIComponent(name)}`;
  const answer = await client.open('GET', path, { query: { fields }, signal });
  const { data }: { readonly data: Item } = await answer.json();
  return { item: data, tag: answer.headers.get('etag') };
}

/** An item, or that of a singleton where the key is null. */
export const storedQuery = (collection: string, key: string | null, fields: readonly string[]) =>
  queryOptions({
    queryKey: ['items', collection, 'one', key, fields],
    queryFn: async ({ signal }): Promise<Stored> => {
      if (key === null) return readSingleton(collection, fields, signal);
      const items = client.items(collection);
      const { data, tag } = await items.getWithTag(keyFromText(key), { fields }, { signal });
      return { item: data, tag };
    },
  });

/** Searches the items of a few collections by what they are called. */
import { queryOptions, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyOf } from '../data/item-key.ts';
import { fieldsQuery } from '../data/queries.ts';
import type { Field, Filter } from '../data/schema-types.ts';
import { templateQuery } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';

export interface FoundItem {
  readonly collection: string;
  readonly key: string;
  readonly title: string;
}

/** How long after the last key a search begins. */
const PAUSE = 200;
/** Of each collection. */
const ITEMS = 4;
/** Fewer letters are in nearly everything. */
const LETTERS = 2;
const TEXTS: ReadonlySet<string> = new Set(['string', 'text']);

/** The condition that each word is in one of the texts that items are called after; null without texts. */
function titleFilter(fields: readonly Field[], paths: readonly string[], text: string) {
  const texts = fields.filter(({ field, type }) => paths.includes(field) && TEXTS.has(type));
  if (texts.length === 0) return null;
  const words = text.split(/\s+/);
  return {
    _and: words.map((word): Filter => {
      return { _or: texts.map(({ field }) => ({ [field]: { _icontains: word } })) };
    }),
  };
}

const itemSearchQuery = (collection: string, text: string) =>
  queryOptions({
    queryKey: ['items', collection, 'list', 'palette', text],
    queryFn: async ({ signal, client: queryClient }): Promise<readonly FoundItem[]> => {
      const [fields, template] = await Promise.all([
        queryClient.fetchQuery(fieldsQuery(collection)),
        queryClient.fetchQuery(templateQuery(collection)),
      ]);
      const keys = keyFields(fields);
      if (keys.length === 0) return [];
      const readable = new Set(fields.map(({ field }) => field));
      const paths = templatePaths(template).filter((path) =>
        readable.has(path.split('.')[0] ?? ''),
      );
      const filter = titleFilter(fields, paths, text);
      const query = {
        fields: [...new Set([...keys, ...paths])],
        limit: ITEMS,
        ...(filter === null ? { search: text } : { filter }),
      };
      const items = await client.items(collection).list(query, { signal });
      return items.map((item) => {
        const key = keyOf(fields, item) ?? '';
        return { collection, key, title: fillTemplate(template, item) || key };
      });
    },
    staleTime: 30_000,
  });

/** The text after a pause in the typing. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The items that fit, and whether some are still searched for. */
export function useItemSearch(typed: string, collections: readonly string[]) {
  const text = useSettled(typed.trim());
  const enabled = text.length >= LETTERS;
  const found = useQueries({
    queries: collections.map((name) => ({ ...itemSearchQuery(name, text), enabled })),
    combine: (results) => ({
      items: results.flatMap(({ data }) => data ?? []),
      isSearching: results.some(({ isFetching }) => isFetching),
    }),
  });
  const isWaiting = typed.trim().length >= LETTERS && text !== typed.trim();
  return {
    items: enabled ? found.items : [],
    isSearching: isWaiting || (enabled && found.isSearching),
  };
}

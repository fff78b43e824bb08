/** What items of a collection are called, found in its template or its fields. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { collectionsQuery, fieldsQuery } from '../data/queries.ts';
import { templateOf } from './template.ts';

/** The templates of collections, by their names; a collection is missing while it loads. */
export function useTemplates(names: readonly string[]): ReadonlyMap<string, string> {
  const collections = useQuery(collectionsQuery).data;
  return useQueries({
    queries: names.map((name) => fieldsQuery(name)),
    combine: (results) => {
      const entries = results.flatMap(({ data }, index): [string, string][] => {
        const name = names[index] ?? '';
        return data === undefined ? [] : [[name, templateOf(collections?.get(name), data)]];
      });
      return new Map(entries);
    },
  });
}

/** The template of one collection; empty while it loads. */
export function useTemplate(collection: string): string {
  const names = useMemo(() => [collection], [collection]);
  return useTemplates(names).get(collection) ?? '';
}

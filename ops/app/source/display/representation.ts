/** What items of a collection are called, found in its template, its fields or a sample of its texts. */
import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { collectionsQuery, fieldsQuery } from '../data/queries.ts';
import { SCHEMA } from '../data/query-keys.ts';
import { templateOf } from './template.ts';
import { sampleQuery } from './text-sample.ts';
import { NO_SHAPES } from './text-shape.ts';

export const templateQuery = (name: string) =>
  queryOptions({
    queryKey: [SCHEMA, 'template', name],
    queryFn: async ({ client }): Promise<string> => {
      const [collections, fields] = await Promise.all([
        client.fetchQuery(collectionsQuery),
        client.fetchQuery(fieldsQuery(name)),
      ]);
      const collection = collections.get(name);
      const byName = templateOf(collection, fields, null);
      if (byName !== null) return byName;
      // Without a sample the items are still told apart, by their keys.
      const shapes = await client.fetchQuery(sampleQuery(name, fields)).catch(() => NO_SHAPES);
      return templateOf(collection, fields, shapes);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The templates of collections, by their names; a collection is missing while it loads. */
export function useTemplates(names: readonly string[]): ReadonlyMap<string, string> {
  return useQueries({
    queries: names.map(templateQuery),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }, index): [string, string][] =>
          data === undefined ? [] : [[names[index] ?? '', data]],
        ),
      ),
  });
}

/** The template of one collection; empty while it loads. */
export function useTemplate(collection: string): string {
  const names = useMemo(() => [collection], [collection]);
  return useTemplates(names).get(collection) ?? '';
}

/** Follows the path of a condition, and loads the fields of the collections that it leads through. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import { fieldsQuery, relationsQuery } from '../data/queries.ts';
import type { Relation } from '../data/schema-types.ts';
import { DraftFieldsContext } from './draft-fields.ts';
import { followPath } from './steps.ts';

const NO_RELATIONS: readonly Relation[] = [];

export function useTarget(collection: string, path: readonly string[]) {
  const relations = useQuery(relationsQuery).data ?? NO_RELATIONS;
  // Each relation on the way may lead to one more collection.
  const names = useMemo(() => {
    const reached = new Set([collection]);
    for (const relation of relations) {
      for (const end of [relation.collection, relation.related_collection]) {
        const uses = path.includes(relation.field) || path.includes(relation.meta?.one_field ?? '');
        if (end !== null && uses) reached.add(end);
      }
    }
    return [...reached];
  }, [collection, path, relations]);
  const drafts = useContext(DraftFieldsContext);
  const fields = useQueries({
    queries: names.map(fieldsQuery),
    combine: (results) =>
      new Map(
        results.map(({ data }, index) => {
          const name = names[index] ?? '';
          return [name, [...(data ?? []), ...drafts.filter((field) => field.collection === name)]];
        }),
      ),
  });
  return {
    relations,
    fields,
    follow: (way: readonly string[]) =>
      followPath(collection, way, (name) => fields.get(name) ?? [], relations),
  };
}

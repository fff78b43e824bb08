/** Reads a sample of the items of a collection, for what its texts look like. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { fieldsQuery } from '../data/queries.ts';
import { SCHEMA } from '../data/query-keys.ts';
import type { Field } from '../data/schema-types.ts';
import {
  NO_SHAPES,
  sampledFields,
  type TextShape,
  type TextShapes,
  textShapes,
} from './text-shape.ts';

const NO_FIELDS: readonly Field[] = [];
/** The items of a sample. */
const ITEMS = 50;

export const sampleQuery = (collection: string, fields: readonly Field[]) => {
  const sampled = sampledFields(fields);
  return queryOptions({
    queryKey: [SCHEMA, 'sample', collection, sampled],
    queryFn: async ({ signal }): Promise<TextShapes> => {
      if (sampled.length === 0) return NO_SHAPES;
      const query = { fields: sampled, limit: ITEMS };
      return textShapes(sampled, await client.items(collection).list(query, { signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
};

/** The shapes of the texts of a collection; null while they are read, none where that fails. */
export function useTextShapes(collection: string, fields: readonly Field[]): TextShapes | null {
  const query = useQuery({ ...sampleQuery(collection, fields), enabled: fields.length > 0 });
  return query.data ?? (query.isPending && fields.length > 0 ? null : NO_SHAPES);
}

/**
 * The shape of the texts of one field; null while it is read.
 * @param isWanted whether anything depends on it
 */
export function useTextShape(
  { collection, field }: Field,
  isWanted: boolean,
): TextShape | null | undefined {
  const enabled = isWanted && collection !== '';
  const fields = useQuery({ ...fieldsQuery(collection), enabled }).data;
  const shapes = useTextShapes(collection, isWanted && fields !== undefined ? fields : NO_FIELDS);
  return shapes === null ? null : shapes.get(field);
}

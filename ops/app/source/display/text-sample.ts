/** Reads a sample of the items of a collection, for what its texts look like. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { fieldsQuery } from '../data/queries.ts';
import { SCHEMA } from '../data/query-keys.ts';
import type { Field } from '../data/schema-types.ts';
import {
  isOneLine,
  NO_SHAPES,
  sampledFields,
  type TextShape,
  type TextShapes,
  textShapes,
} from './text-shape.ts';

const NO_FIELDS: readonly Field[] = [];
/** The items that are read first: texts may be large, and those of so many items show it. */
const FIRST_ITEMS = 5;
/** The items of a sample. */
const ITEMS = 50;

export const sampleQuery = (collection: string, fields: readonly Field[]) => {
  const sampled = sampledFields(fields);
  return queryOptions({
    queryKey: [SCHEMA, 'sample', collection, sampled],
    queryFn: async ({ signal }): Promise<TextShapes> => {
      if (sampled.length === 0) return NO_SHAPES;
      const items = client.items(collection);
      const few = await items.list({ fields: sampled, limit: FIRST_ITEMS }, { signal });
      const first = textShapes(sampled, few);
      const short = fields.filter((field) => {
        const shape = first.get(field.field);
        return shape !== undefined && (shape.filled === 0 || isOneLine(field, shape));
      });
      const names = short.map(({ field }) => field);
      if (few.length < FIRST_ITEMS || names.length === 0) return first;
      const more = await items.list({ fields: names, limit: ITEMS }, { signal });
      return new Map([...first, ...textShapes(names, more)]);
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

/** What is said below a field. */
import type { Field } from '../data/schema-types.ts';

/** The note of a field, or the comment of its column in PostgreSQL; undefined for neither. */
export function noteOf({ meta, schema }: Pick<Field, 'meta' | 'schema'>): string | undefined {
  return meta?.note || schema?.comment || undefined;
}

/** The rules that fields carry in their metadata, which hold for every caller. */
import type { Collection } from '#core/catalog/catalog.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';

const known = new WeakMap<Collection, readonly Filter[]>();

function parse(collection: Collection): readonly Filter[] {
  return collection.descriptor.fields.flatMap(({ field, row }) => {
    const { validation } = row;
    if (validation === null || validation === undefined) return [];
    try {
      return [parseFilter(validation, `${field}.validation`)];
    } catch {
      const reason = `The validation rule of the field "${field}" cannot be read.`;
      throw new ServiceError('UNPROCESSABLE_ENTITY', { reason });
    }
  });
}

/**
 * The rules of a collection's fields, parsed once for each version of it.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a rule that cannot be read: nothing is written past it
 */
export function fieldRules(collection: Collection): readonly Filter[] {
  const found = known.get(collection) ?? parse(collection);
  known.set(collection, found);
  return found;
}

/** The rules that fields carry in their metadata, which hold for every caller. */

import { placed, type Reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { filterFault, validationFault } from './validation-fault.ts';

interface Known {
  readonly catalog: Catalog;
  readonly rules: readonly Filter[];
}

const known = new WeakMap<Collection, Known>();

function parse(catalog: Catalog, collection: Collection): readonly Filter[] {
  return collection.descriptor.fields.flatMap(({ field, row }) => {
    const { validation } = row;
    if (validation === null || validation === undefined) return [];
    const fault = fieldRuleFault(catalog, collection, field, validation);
    if (fault === null) return [parseFilter(validation, `${field}.validation`)];
    const place = `The validation rule of the field "${field}" cannot be read. `;
    throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: placed(place, fault) });
  });
}

/** What keeps the rule of a field from being judged; null when nothing does. */
export function fieldRuleFault(
  catalog: Catalog,
  collection: Collection,
  field: string,
  validation: unknown,
): Reason | null {
  const place = `${field}.validation`;
  const fault = filterFault(validation, place);
  return fault ?? validationFault(catalog, collection, parseFilter(validation, place));
}

/**
 * The rules of a collection's fields, parsed once for each version of it.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a rule that cannot be read: nothing is written past it
 */
export function fieldRules(catalog: Catalog, collection: Collection): readonly Filter[] {
  const found = known.get(collection);
  if (found?.catalog === catalog) return found.rules;
  const rules = parse(catalog, collection);
  known.set(collection, { catalog, rules });
  return rules;
}

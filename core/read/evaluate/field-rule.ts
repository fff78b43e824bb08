/** The rules in the metadata of fields, which apply to every caller. */

import { placed, type Reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { oncePerPair } from '#core/base/once-per.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { filterFault, validationFault } from './validation-fault.ts';

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

/** The reason why the rule of a field cannot be evaluated; null when it can. */
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
 * The rules of a collection's fields, parsed once per catalog version.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a rule that cannot be read, which blocks all writes
 */
export const fieldRules = oncePerPair(parse);

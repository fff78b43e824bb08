/** The changes of rows that lose their owner or their reference. */

import { ServiceError } from '#core/base/errors/service-error.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import type { Item } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import { columnField } from './lock.ts';
import type { PayloadPath } from './plan.ts';

/**
 * Null values that clear a link: for its nullable columns outside the key, else for all its
 * columns.
 */
export function clearedLink(write: WriteContext, columns: readonly string[]): Item {
  const fields = columns.map((column) => columnField(write.collection, column));
  const loose = fields.filter(
    (field) => field.column.nullable && !write.collection.primaryKey.includes(field),
  );
  const entries = (loose.length > 0 ? loose : fields).map((field) => [field.name, null]);
  return Object.fromEntries(entries);
}

/**
 * The change of a row that loses its owner.
 * @throws ServiceError FAILED_VALIDATION when the key contains the link
 */
export function unlinkedRow(write: WriteContext, relation: ToMany, place: PayloadPath): Item {
  const item = clearedLink(write, relation.many.columns);
  const { collection } = write;
  const stuck = collection.primaryKey.find(({ name }) => Object.hasOwn(item, name));
  if (stuck === undefined) return item;
  const [field = stuck.name, ...rest] = place.filter((part) => typeof part === 'string');
  throw new ServiceError('FAILED_VALIDATION', {
    field,
    path: [...rest, stuck.name],
    type: 'nnull',
  });
}

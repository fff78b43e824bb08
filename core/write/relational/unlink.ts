/** What rows that lose their owner, or refer to nothing any more, are changed to. */

import { ServiceError } from '#core/base/errors/service-error.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import type { Item } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import { columnField } from './lock.ts';
import type { PayloadPath } from './plan.ts';

/** The columns that make no link any more when they are null: those that can be, if any can. */
export function clearedLink(write: WriteContext, columns: readonly string[]): Item {
  const fields = columns.map((column) => columnField(write.collection, column));
  const loose = fields.filter(
    (field) => field.column.nullable && !write.collection.primaryKey.includes(field),
  );
  const entries = (loose.length > 0 ? loose : fields).map((field) => [field.name, null]);
  return Object.fromEntries(entries);
}

/**
 * What a row that loses its owner is changed to.
 * @throws ServiceError FAILED_VALIDATION when the row cannot be without one
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

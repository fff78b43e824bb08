/** What rows that lose their owner, or refer to nothing any more, are changed to. */
import type { ToMany } from '#core/catalog/relation.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { Item } from '../payload.ts';
import type { Write } from '../target.ts';
import { columnField } from './lock.ts';
import type { PayloadPath } from './plan.ts';

/** The columns that make no link any more when they are null: those that can be, if any can. */
export function unlinked(write: Write, columns: readonly string[]): Item {
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
export function lost(write: Write, relation: ToMany, place: PayloadPath): Item {
  const item = unlinked(write, relation.many.columns);
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

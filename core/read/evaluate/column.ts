/** Finds the columns that item rules apply to. */
import { type Collection, type ColumnField, isColumn } from '#core/model/catalog/catalog.ts';

/** The field of this name that has a column; null without such a field. */
export function columnOf(collection: Collection | null, name: string): ColumnField | null {
  const field = collection?.fields.get(name);
  return isColumn(field) ? field : null;
}

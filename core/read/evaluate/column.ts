/** Finds the columns that rules on items judge. */
import { type Collection, type ColumnField, isColumn } from '#core/model/catalog/catalog.ts';

/** The field of this name that has a column; null where there is none. */
export function columnOf(collection: Collection | null, name: string): ColumnField | null {
  const field = collection?.fields.get(name);
  return isColumn(field) ? field : null;
}

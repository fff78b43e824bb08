/** Finds the columns that rules on items judge. */
import type { Collection, ColumnField, Field } from '#core/catalog/catalog.ts';

function isColumn(field: Field | undefined): field is ColumnField {
  return field !== undefined && field.column !== null;
}

/** The field of this name that has a column; null where there is none. */
export function columnOf(collection: Collection | null, name: string): ColumnField | null {
  const field = collection?.fields.get(name);
  return isColumn(field) ? field : null;
}

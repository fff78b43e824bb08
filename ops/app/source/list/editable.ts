/** Which values of a list are edited in their cells. */
import { mayField } from '../data/rights.ts';
import type { Rights } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { isMade } from '../form/field-state.ts';

/** The fields that the caller may update of some items at least. */
export function editableFields(
  collection: string,
  columns: readonly Column[],
  rights: Rights,
): ReadonlySet<string> {
  const names = columns.flatMap(({ field, relation }) => {
    const { schema, meta } = field;
    // A file is uploaded in the form, which waits for it.
    const isLink = relation?.kind === 'm2o' && relation.related !== 'system_files';
    const isValue = relation === null || isLink;
    const isOpen = schema !== null && !schema.is_primary_key && meta?.readonly !== true;
    const fits = isValue && isOpen && field.type !== 'alias' && !isMade(field);
    return fits && mayField(rights, collection, 'update', field.field) ? [field.field] : [];
  });
  return new Set(names);
}

/**
 * Whether the linking columns of a relation are concealed. Following a relation discloses their
 * values, from either end, so a relation with a concealed column cannot be followed.
 */
import { oncePer } from '#core/base/once-per.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { End, Relation } from '#core/model/catalog/relation.ts';

/** The columns of a collection that are concealed. */
const concealedColumns = oncePer(({ fields }: Collection): ReadonlySet<string> => {
  const names = [...fields.values()].flatMap((field) =>
    field.column !== null && isConcealed(field) ? [field.column.name] : [],
  );
  return new Set(names);
});

/** The columns that are compared to follow a relation. */
function endsOf(relation: Relation): readonly End[] {
  if (relation.kind !== 'a2o') return [relation.many, relation.one];
  const { many, discriminator, allowed } = relation;
  return [{ ...many, columns: [...many.columns, discriminator] }, ...allowed];
}

/** Whether a linking column of a relation is concealed. */
export function isLinkConcealed({ collections }: Catalog, relation: Relation): boolean {
  return endsOf(relation).some(({ collection: name, columns }) => {
    const collection = collections.get(name);
    if (collection === undefined) return false;
    const concealed = concealedColumns(collection);
    return concealed.size > 0 && columns.some((column) => concealed.has(column));
  });
}

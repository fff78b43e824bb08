/**
 * Whether the linking columns of a relation are concealed. Following a relation discloses their
 * values, from either end, so a relation with a concealed column cannot be followed.
 */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { End, Relation } from '#core/model/catalog/relation.ts';

const known = new WeakMap<Collection, ReadonlySet<string>>();

/** The columns of a collection that are concealed. */
function concealedColumns(collection: Collection): ReadonlySet<string> {
  const found = known.get(collection);
  if (found !== undefined) return found;
  const names = [...collection.fields.values()].flatMap((field) =>
    field.column !== null && isConcealed(field) ? [field.column.name] : [],
  );
  const made = new Set(names);
  known.set(collection, made);
  return made;
}

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

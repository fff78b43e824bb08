/** The collections in the order of the menu: what stands in a group follows it. */
import type { Collection } from '../data/schema-types.ts';
import { collectionName } from '../translation/names.ts';

export interface CollectionRow {
  readonly collection: Collection;
  readonly name: string;
  /** The group that it is shown in: one that is gone, or not shown, is none. */
  readonly group: string | null;
  /** How many groups it stands in. */
  readonly depth: number;
}

export function isSystem({ collection, meta }: Collection): boolean {
  return collection.startsWith('system_') || meta?.system === true;
}

export function collectionRows(
  collections: Iterable<Collection>,
  locale: string,
): readonly CollectionRow[] {
  const all = [...collections];
  const names = new Set(all.map(({ collection }) => collection));
  const members = Map.groupBy(all, ({ meta }) =>
    meta?.group && names.has(meta.group) ? meta.group : null,
  );
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const place = ({ meta }: Collection) => meta?.sort ?? Number.MAX_SAFE_INTEGER;
  const rowsOf = (group: string | null, depth: number): readonly CollectionRow[] =>
    (members.get(group) ?? [])
      .map((collection) => ({ collection, name: collectionName(collection, locale), group, depth }))
      .toSorted((a, b) => place(a.collection) - place(b.collection) || compare(a.name, b.name))
      .flatMap((row) => [row, ...rowsOf(row.collection.collection, depth + 1)]);
  return rowsOf(null, 0);
}

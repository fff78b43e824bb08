/** The menu of collections as a tree: collections and folders stand in the group that they name. */
import { may } from '../data/rights.ts';
import type { Collection, Rights } from '../data/schema-types.ts';
import { collectionName } from '../translation/names.ts';

export interface Branch {
  readonly collection: Collection;
  readonly name: string;
  readonly branches: readonly Branch[];
}

export interface TreeOptions {
  readonly rights: Rights;
  readonly locale: string;
  readonly withHidden: boolean;
}

function isShown({ collection, meta, schema }: Collection, options: TreeOptions): boolean {
  if (collection.startsWith('system_') || meta?.system === true) return false;
  if (meta?.hidden === true && !options.withHidden) return false;
  return schema === null || may(options.rights, collection, 'read');
}

/** Builds the tree of what the caller may read; folders without anything in them are left out. */
export function buildTree(
  collections: ReadonlyMap<string, Collection>,
  options: TreeOptions,
): readonly Branch[] {
  const shown = [...collections.values()].filter((collection) => isShown(collection, options));
  const names = new Set(shown.map(({ collection }) => collection));
  const members = Map.groupBy(shown, ({ meta }) =>
    meta?.group && names.has(meta.group) ? meta.group : '',
  );
  const { compare } = new Intl.Collator(options.locale, { numeric: true });
  const branchesOf = (group: string, above: ReadonlySet<string>): readonly Branch[] => {
    const place = ({ meta }: Collection) => meta?.sort ?? Number.MAX_SAFE_INTEGER;
    const branches = (members.get(group) ?? [])
      // Groups that contain each other would never end.
      .filter(({ collection }) => !above.has(collection))
      .map((collection) => ({
        collection,
        name: collectionName(collection, options.locale),
        branches: branchesOf(collection.collection, new Set([...above, collection.collection])),
      }));
    return branches
      .filter(({ collection, branches: inner }) => collection.schema !== null || inner.length > 0)
      .toSorted((a, b) => place(a.collection) - place(b.collection) || compare(a.name, b.name));
  };
  return branchesOf('', new Set());
}

/** The branches whose name or table has the text in it, and what leads to them. */
export function searchTree(branches: readonly Branch[], text: string): readonly Branch[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return branches;
  return branches.flatMap((branch) => {
    const inner = searchTree(branch.branches, text);
    const hit =
      branch.name.toLowerCase().includes(wanted) ||
      branch.collection.collection.toLowerCase().includes(wanted);
    if (hit) return [{ ...branch, branches: inner.length > 0 ? inner : branch.branches }];
    return inner.length > 0 ? [{ ...branch, branches: inner }] : [];
  });
}

/** The collections of a tree that have items, in the order of the menu. */
export function collectionsOf(branches: readonly Branch[]): readonly Branch[] {
  return branches.flatMap((branch) => [
    ...(branch.collection.schema === null ? [] : [branch]),
    ...collectionsOf(branch.branches),
  ]);
}

/** The differences between the schema and a snapshot, by collection, as people read them. */
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';

/** What `POST /schema/diff` answers, and `POST /schema/apply` takes. */
export interface FoundDiff {
  readonly hash: string;
  readonly diff: Item;
}

export interface Detail {
  /** The member, such as `schema.is_nullable`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Entry {
  readonly what: 'collection' | 'field' | 'relation' | 'right';
  readonly collection: string;
  /** Empty for the collection itself. */
  readonly name: string;
  readonly kind: 'new' | 'gone' | 'changed';
  readonly details: readonly Detail[];
}

export interface DiffGroup {
  readonly collection: string;
  readonly entries: readonly Entry[];
}

const PARTS: Readonly<Record<string, Entry['what']>> = {
  collections: 'collection',
  fields: 'field',
  systemFields: 'field',
  relations: 'relation',
};

function detailOf(difference: Item): Detail {
  const { kind, path, lhs, rhs, index, item } = difference;
  const steps = Array.isArray(path) ? path.map(String) : [];
  if (kind === 'A' && isItem(item)) {
    return { path: [...steps, String(index)].join('.'), before: item.lhs, after: item.rhs };
  }
  return { path: steps.join('.'), before: lhs, after: rhs };
}

function kindOf(differences: readonly Item[]): Entry['kind'] {
  const [only] = differences;
  if (only === undefined || differences.length > 1 || only.path !== undefined) return 'changed';
  return only.kind === 'N' ? 'new' : only.kind === 'D' ? 'gone' : 'changed';
}

/** The collection that a difference is about, or the list of rights in which it stands. */
function collectionOf(part: string, found: Item): string {
  return String(found.collection ?? part);
}

function entryOf(part: string, found: Item): Entry {
  const differences = Array.isArray(found.diff) ? found.diff.filter(isItem) : [];
  const kind = kindOf(differences);
  const what = PARTS[part] ?? 'right';
  const name = what === 'right' ? (found.id ?? found.name ?? '') : (found.field ?? '');
  return {
    what,
    collection: collectionOf(part, found),
    name: String(name),
    kind,
    details: kind === 'changed' ? differences.map(detailOf) : [],
  };
}

/** The entries of each collection, what concerns itself first. */
export function groupsOf({ diff }: FoundDiff): readonly DiffGroup[] {
  const entries = Object.entries(diff).flatMap(([part, list]) =>
    (Array.isArray(list) ? list : []).filter(isItem).map((found) => entryOf(part, found)),
  );
  const groups = [...Map.groupBy(entries, ({ collection }) => collection)];
  return groups
    .map(([collection, members]) => ({ collection, entries: members }))
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
}

/** The differences of some collections alone. */
export function partOf({ hash, diff }: FoundDiff, chosen: ReadonlySet<string>): FoundDiff {
  const parts = Object.entries(diff).map(([part, list]) => {
    if (!Array.isArray(list)) return [part, list] as const;
    const kept = list.filter((found) => isItem(found) && chosen.has(collectionOf(part, found)));
    return [part, kept] as const;
  });
  return { hash, diff: Object.fromEntries(parts) };
}

/** A value as a short text; what is not there is empty. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '—';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

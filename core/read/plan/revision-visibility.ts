/**
 * Determines the visible part of a revision: the members that its reader may see of that item
 * today. A field that was concealed or forbidden since then is hidden in history too, in every
 * clause. Only administrators see members that are no longer fields.
 */

import { ALL_GRANTS, type Grant, type GrantCase, type Grants } from '#core/access/grants.ts';
import { oncePer } from '#core/base/once-per.ts';
import type { Catalog, Collection, Field } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { RevisionRights, RevisionVisibility, Table } from './plan.ts';

const REVISIONS = 'system_revisions';
const PAST: ReadonlySet<string> = new Set(['data', 'delta']);

/** The concealed fields of each collection that has some, as JSON. */
const concealedFields = oncePer(({ collections }: Catalog): string => {
  const lists = [...collections.values()].map(({ name, fields }) => {
    const names = [...fields.values()].filter(isConcealed).map((field) => field.name);
    return [name, names] as const;
  });
  return JSON.stringify(Object.fromEntries(lists.filter(([, list]) => list.length > 0)));
});

/** Only current fields: the permissions for dropped fields are unknown. */
function namesOf({ fields }: Collection, cases: readonly GrantCase[]): string {
  const names = [...fields.keys()];
  const isSeen = (name: string) => cases.some((one) => one.fields === null || one.fields.has(name));
  return JSON.stringify(names.filter(isSeen));
}

interface Seen {
  readonly catalog: Catalog;
  /** The fields that are visible for every item, as JSON. */
  readonly always: string;
  readonly byRule: readonly { readonly collection: Collection; readonly grant: Grant }[];
}

const seen = new WeakMap<Grants, Seen>();

/** Computed once for both columns of a revision and all clauses. */
function seenBy(grants: Grants, catalog: Catalog): Seen {
  const known = seen.get(grants);
  if (known?.catalog === catalog) return known;
  const always: string[] = [];
  const byRule: Seen['byRule'][number][] = [];
  for (const collection of catalog.collections.values()) {
    const { name, table } = collection;
    const grant = grants.of(name);
    if (grant === null || table === null) continue;
    if (grant.some(({ rule }) => rule !== null)) byRule.push({ collection, grant });
    else always.push(`${JSON.stringify(name)}:${namesOf(collection, grant)}`);
  }
  const made = { catalog, always: `{${always.join(',')}}`, byRule };
  seen.set(grants, made);
  return made;
}

/**
 * The current catalog and permissions, which also apply to old revisions, and how to open a table.
 */
interface Today {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly open: (collection: string) => Table;
}

function visibleToday({ catalog, grants, open }: Today): RevisionRights | null {
  if (grants === ALL_GRANTS) return null;
  const { always, byRule } = seenBy(grants, catalog);
  return {
    always,
    byRule: byRule.map(({ collection, grant }) => ({
      item: open(collection.name),
      always: namesOf(
        collection,
        grant.filter(({ rule }) => rule === null),
      ),
      fields: grant.map((entry) => namesOf(collection, [entry])),
    })),
  };
}

/** The visible part of a field of revisions; null for fields that contain no item. */
export function revisionVisibility(
  today: Today,
  collection: Collection,
  field: Field,
): RevisionVisibility | null {
  if (collection.name !== REVISIONS || !PAST.has(field.name)) return null;
  return { concealed: concealedFields(today.catalog), visible: visibleToday(today) };
}

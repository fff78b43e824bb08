/**
 * What a revision tells: of the item as it was, the members that its reader may see of that item
 * today. A field that was concealed or forbidden since is so in history, too, in every clause; what
 * is no field any more is for administrators alone.
 */
import { ALL_GRANTS, type Grant, type GrantCase, type Grants } from '#core/access/grants.ts';
import type { Catalog, Collection, Field } from '#core/catalog/catalog.ts';
import { empty, join, type Sql, sql } from '#core/database/sql.ts';
import { textMatch } from './any-to-one.ts';
import { CONCEALED, isConcealed } from './output.ts';
import { columnNamed, openScope, ruleSql, type Scope, tableSql, whereSql } from './scope.ts';

const REVISIONS = 'system_revisions';
const PAST: ReadonlySet<string> = new Set(['data', 'delta']);

const masks = new WeakMap<Catalog, string>();

/** The concealed fields of each collection that has some, as JSON. */
function maskedFields(catalog: Catalog): string {
  const known = masks.get(catalog);
  if (known !== undefined) return known;
  const lists = [...catalog.collections.values()].map(({ name, fields }) => {
    const concealed = [...fields.values()].filter(isConcealed);
    return [name, concealed.map((field) => field.name)] as const;
  });
  const made = JSON.stringify(Object.fromEntries(lists.filter(([, list]) => list.length > 0)));
  masks.set(catalog, made);
  return made;
}

/** Only what is a field now: nothing tells who might see what was dropped. */
function namesOf({ fields }: Collection, cases: readonly GrantCase[]): readonly string[] {
  const names = [...fields.keys()];
  if (cases.some((one) => one.fields === null)) return names;
  return names.filter((name) => cases.some((one) => one.fields?.has(name)));
}

function listSql({ collection }: Scope, cases: readonly GrantCase[]): Sql {
  return sql`${JSON.stringify(namesOf(collection, cases))}::text::jsonb`;
}

/** The item that a revision is of, by the text that history has of its key. */
function itemMatch(revision: Scope, item: Scope): Sql {
  const text = columnNamed(revision, 'item');
  const { primaryKey } = item.collection;
  const [key, ...more] = primaryKey;
  if (key !== undefined && more.length === 0) return textMatch(item, key.column, text);
  // What would have to be decoded, or was cut off, is taken for the key of no item.
  const parts = primaryKey.map(({ column }) => sql`${columnNamed(item, column.name)}::text`);
  return sql`(${text} !~ '%' AND length(${text}) < 255 AND concat_ws(',', ${join(parts)}) = ${text})`;
}

/** The names of what may be seen of an item, as far as rules decide on it, as an array in JSON. */
function seenOfItem(revision: Scope, name: string, grant: Grant): Sql {
  const always = grant.filter(({ rule }) => rule === null);
  const context = { ...revision.context, grants: ALL_GRANTS, markScan: () => undefined };
  const item = openScope(context, name);
  const parts = grant.map(({ fields, rule }) =>
    rule === null
      ? empty
      : sql` || CASE WHEN ${ruleSql(item, rule, true)} THEN ${listSql(item, [{ fields, rule }])} ELSE '[]' END`,
  );
  const where = whereSql([itemMatch(revision, item)]);
  const otherwise = listSql(item, always);
  const found = sql`(SELECT ${otherwise}${join(parts, '')} FROM ${tableSql(item)}${where})`;
  return sql`coalesce(${found}, ${otherwise})`;
}

interface Seen {
  readonly catalog: Catalog;
  /** What may be seen whatever the item, as JSON. */
  readonly always: string;
  readonly byItem: readonly { readonly name: string; readonly grant: Grant }[];
}

const seen = new WeakMap<Grants, Seen>();

/** Made once for both columns of a revision and all clauses. */
function seenBy(grants: Grants, catalog: Catalog): Seen {
  const known = seen.get(grants);
  if (known?.catalog === catalog) return known;
  const always: [string, readonly string[]][] = [];
  const byItem: { name: string; grant: Grant }[] = [];
  for (const collection of catalog.collections.values()) {
    const { name, table } = collection;
    const grant = grants.of(name);
    if (grant === null || table === null) continue;
    if (grant.some(({ rule }) => rule !== null)) byItem.push({ name, grant });
    else always.push([name, namesOf(collection, grant)]);
  }
  const made = { catalog, always: JSON.stringify(Object.fromEntries(always)), byItem };
  seen.set(grants, made);
  return made;
}

/** The names of what the caller may see of the revision's item; null: whatever there is. */
function seenOf(revision: Scope): Sql | null {
  const { catalog, grants } = revision.context;
  if (grants === ALL_GRANTS) return null;
  const { always, byItem } = seenBy(grants, catalog);
  const name = columnNamed(revision, 'collection');
  const otherwise = sql`${always}::text::jsonb -> ${name}`;
  if (byItem.length === 0) return sql`(${otherwise})`;
  const branches = byItem.map(
    (one) => sql` WHEN ${one.name}::text THEN ${seenOfItem(revision, one.name, one.grant)}`,
  );
  return sql`(CASE ${name}${join(branches, '')} ELSE ${otherwise} END)`;
}

/** What a column of revisions tells its reader now; null for columns that hold no item as it was. */
export function pastOf(revision: Scope, field: Field, column: Sql): Sql | null {
  if (revision.collection.name !== REVISIONS || !PAST.has(field.name)) return null;
  const name = columnNamed(revision, 'collection');
  const masked = sql`(${maskedFields(revision.context.catalog)}::text::jsonb -> ${name})`;
  const visibleNames = seenOf(revision);
  const value = sql`CASE WHEN jsonb_exists(l.masked, m.key) AND json_typeof(m.value) <> 'null' THEN to_json(${CONCEALED}::text) ELSE m.value END`;
  const visible = visibleNames === null ? empty : sql` WHERE jsonb_exists(l.seen, m.key)`;
  const members = sql`SELECT coalesce(json_object_agg(m.key, ${value} ORDER BY m.n), '{}') FROM (SELECT ${masked} AS masked, ${visibleNames ?? sql`NULL::jsonb`} AS seen) AS l CROSS JOIN LATERAL json_each(${column}) WITH ORDINALITY AS m(key, value, n)${visible}`;
  const whole = visibleNames === null ? sql`${masked} IS NULL OR ` : empty;
  return sql`CASE WHEN ${whole}json_typeof(${column}) IS DISTINCT FROM 'object' THEN ${column} ELSE (${members}) END`;
}

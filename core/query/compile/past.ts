/**
 * What a revision tells: of the item as it was, the members that its reader may see of that item
 * today. A field that was concealed or forbidden since is so in history, too, in every clause.
 */
import { ALL_GRANTS, type Grant, type GrantCase } from '#core/access/grant.ts';
import type { Catalog, Field } from '#core/catalog/catalog.ts';
import { empty, join, type Sql, sql } from '#core/database/sql.ts';
import { textMatch } from './any-to-one.ts';
import { CONCEALED, isConcealed } from './output.ts';
import { columnNamed, openScope, ruleSql, type Scope, tableSql, whereSql } from './scope.ts';

const REVISIONS = 'system_revisions';
const PAST: ReadonlySet<string> = new Set(['data', 'delta']);

/** Stands for all fields in a list of names; no field has this name. */
const EVERY = '';

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

function namesOf(cases: readonly GrantCase[]): readonly string[] {
  const names = cases.flatMap(({ fields }) => (fields === null ? [EVERY] : [...fields]));
  return [...new Set(names)];
}

function listSql(cases: readonly GrantCase[]): Sql {
  return sql`${JSON.stringify(namesOf(cases))}::text::jsonb`;
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
      : sql` || CASE WHEN ${ruleSql(item, rule, true)} THEN ${listSql([{ fields, rule }])} ELSE '[]' END`,
  );
  const where = whereSql([itemMatch(revision, item)]);
  const found = sql`(SELECT ${listSql(always)}${join(parts, '')} FROM ${tableSql(item)}${where})`;
  return sql`coalesce(${found}, ${listSql(always)})`;
}

/** The names of what the caller may see of the revision's item; null: whatever there is. */
function seenOf(revision: Scope): Sql | null {
  const { catalog, grants } = revision.context;
  if (grants === ALL_GRANTS) return null;
  const always: [string, readonly string[]][] = [];
  const branches: Sql[] = [];
  const name = columnNamed(revision, 'collection');
  for (const collection of catalog.collections.values()) {
    const grant = grants.of(collection.name);
    if (grant === null || collection.table === null) continue;
    if (grant.every(({ rule }) => rule === null)) always.push([collection.name, namesOf(grant)]);
    else {
      const seen = seenOfItem(revision, collection.name, grant);
      branches.push(sql` WHEN ${collection.name}::text THEN ${seen}`);
    }
  }
  const otherwise = sql`${JSON.stringify(Object.fromEntries(always))}::text::jsonb -> ${name}`;
  return branches.length === 0
    ? sql`(${otherwise})`
    : sql`(CASE ${name}${join(branches, '')} ELSE ${otherwise} END)`;
}

/** What a column of revisions tells its reader now; null for columns that hold no item as it was. */
export function pastOf(revision: Scope, field: Field, column: Sql): Sql | null {
  if (revision.collection.name !== REVISIONS || !PAST.has(field.name)) return null;
  const name = columnNamed(revision, 'collection');
  const masked = sql`(${maskedFields(revision.context.catalog)}::text::jsonb -> ${name})`;
  const seen = seenOf(revision);
  const value = sql`CASE WHEN jsonb_exists(l.masked, m.key) AND json_typeof(m.value) <> 'null' THEN to_json(${CONCEALED}::text) ELSE m.value END`;
  const visible =
    seen === null ? empty : sql` WHERE jsonb_exists_any(l.seen, ARRAY[m.key, ${EVERY}::text])`;
  const members = sql`SELECT coalesce(json_object_agg(m.key, ${value} ORDER BY m.n), '{}') FROM (SELECT ${masked} AS masked, ${seen ?? sql`NULL::jsonb`} AS seen) AS l CROSS JOIN LATERAL json_each(${column}) WITH ORDINALITY AS m(key, value, n)${visible}`;
  const whole = seen === null ? sql`${masked} IS NULL OR ` : empty;
  return sql`CASE WHEN ${whole}json_typeof(${column}) IS DISTINCT FROM 'object' THEN ${column} ELSE (${members}) END`;
}

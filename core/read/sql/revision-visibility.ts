/** Writes the visible part of a revision's item. */

import { empty, join, type Sql, sql } from '#core/database/sql.ts';
import { CONCEALED } from '#core/model/catalog/catalog.ts';
import type { RevisionRights, RevisionVisibility, Table } from '../plan/plan.ts';
import { isDecodable, membersOf } from './readable-json.ts';
import { columnNamed, tableSql, textMatch, whereSql } from './table.ts';

/** Writes the condition of a permission; passed in, because conditions depend on columns. */
export type ConditionSql = (table: Table, right: number) => Sql | null;

/** Matches the item of a revision by the key text in history. */
function itemMatch(revision: Table, item: Table): Sql {
  const text = columnNamed(revision, 'item');
  const { primaryKey } = item.collection;
  const [key, ...more] = primaryKey;
  if (key !== undefined && more.length === 0) return textMatch(item, key.column, text);
  // A key text that needs decoding, or may be truncated, matches no item.
  const parts = primaryKey.map(({ column }) => sql`${columnNamed(item, column.name)}::text`);
  return sql`(${text} !~ '%' AND length(${text}) < 255 AND concat_ws(',', ${join(parts)}) = ${text})`;
}

/** The visible field names of an item whose rules decide per row, as a JSON array. */
function seenOfItem(
  revision: Table,
  { item, always, fields }: RevisionRights['byRule'][number],
  rightSql: ConditionSql,
): Sql {
  const parts = fields.map((names, right) => {
    const rule = rightSql(item, right);
    return rule === null
      ? empty
      : sql` || CASE WHEN ${rule} THEN ${names}::text::jsonb ELSE '[]' END`;
  });
  const free = sql`${always}::text::jsonb`;
  const where = whereSql([itemMatch(revision, item)]);
  const found = sql`(SELECT ${free}${join(parts, '')} FROM ${tableSql(item)}${where})`;
  return sql`coalesce(${found}, ${free})`;
}

/** The names of the fields that the caller may see of the revision's item. */
function seenOf(revision: Table, { always, byRule }: RevisionRights, rightSql: ConditionSql): Sql {
  const name = columnNamed(revision, 'collection');
  const otherwise = sql`${always}::text::jsonb -> ${name}`;
  if (byRule.length === 0) return sql`(${otherwise})`;
  const branches = byRule.map((entry) => {
    const seen = seenOfItem(revision, entry, rightSql);
    return sql` WHEN ${entry.item.collection.name}::text THEN ${seen}`;
  });
  return sql`(CASE ${name}${join(branches, '')} ELSE ${otherwise} END)`;
}

/** The visible part of a column of revisions. */
export function revisionSql(
  revision: Table,
  past: RevisionVisibility,
  column: Sql,
  rightSql: ConditionSql,
): Sql {
  const name = columnNamed(revision, 'collection');
  const masked = sql`(${past.concealed}::text::jsonb -> ${name})`;
  const seen = past.visible && seenOf(revision, past.visible, rightSql);
  const each = membersOf(column, sql`l.sound`);
  const value = sql`CASE WHEN jsonb_exists(l.masked, m.key) AND json_typeof(m.value) <> 'null' THEN to_json(${CONCEALED}::text) ELSE ${each.value} END`;
  const visible = seen === null ? empty : sql` AND jsonb_exists(l.seen, m.key)`;
  const facts = sql`SELECT ${masked} AS masked, ${seen ?? sql`NULL::jsonb`} AS seen, ${isDecodable(column)} AS sound OFFSET 0`;
  const members = sql`SELECT coalesce(json_object_agg(m.key, ${value} ORDER BY m.n), '{}') FROM (${facts}) AS l CROSS JOIN LATERAL ${each.from} WHERE ${each.isNamed}${visible}`;
  const whole = seen === null ? sql`${masked} IS NULL OR ` : empty;
  return sql`CASE WHEN ${whole}json_typeof(${column}) IS DISTINCT FROM 'object' THEN ${column} ELSE (${members}) END`;
}

/**
 * Records new rows whose keys the transaction keeps: the item first that brought the others along,
 * because their revisions name that of the item.
 */
import { randomUUID } from 'node:crypto';
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import {
  activityInto,
  deltaText,
  hasHistory,
  hasRevisions,
  revisionInto,
  snapshot,
} from '#core/history/history.ts';
import { type KeptKeys, KeptTexts } from './kept-key.ts';
import { deltaOf } from './relational/record.ts';
import type { Node } from './relational/work.ts';
import { tableOf } from './statement.ts';

/** A field of new rows that takes keys of rows written before: for each row the place of its one. */
export interface Reference {
  readonly field: ColumnField;
  readonly kept: KeptKeys;
  readonly places: readonly number[];
}

/** New rows of one collection. */
export interface KeptRows {
  readonly collection: Collection;
  readonly nodes: readonly Node[];
  readonly kept: KeptKeys;
  readonly references: readonly Reference[];
  /** The rows that brought these along, and for each row the place of its one; null: nobody. */
  readonly owner: { readonly rows: KeptRows; readonly places: readonly number[] } | null;
}

/** The revisions of rows, for those of the rows that they brought along. */
function revisionsOf({ collection, kept }: KeptRows): KeptTexts | null {
  return hasRevisions(collection) ? new KeptTexts(`revisions_${kept.place}`, kept.count) : null;
}

/** Stands in the text of what was written for a key that only the transaction knows. */
type Stand = Reference & { readonly token: string };

function deltaTexts({ collection, nodes }: KeptRows, stands: readonly Stand[]): string[] {
  return nodes.map((node) => {
    const row = new Map(node.row);
    for (const { field, token } of stands) row.set(field, token);
    return deltaText(collection, { delta: deltaOf(collection, { ...node, row }) });
  });
}

/** A key as it stands in JSON. */
function keyJson({ type }: ColumnField, key: Sql): Sql {
  return type === 'integer' ? key : sql`to_json(${key})::text`;
}

/** A text in which the keys take the places of what stands for them. */
function withKeys(text: Sql, keys: readonly { readonly stand: Stand; readonly key: Sql }[]): Sql {
  return keys.reduce(
    (inner, { stand: { field, token }, key }) =>
      sql`replace(${inner}, ${`"${token}"`}::text, ${keyJson(field, key)})`,
    text,
  );
}

function recordOne(schema: string, author: readonly unknown[], rows: KeptRows): Sql {
  const { collection, kept, references, owner } = rows;
  const item = sql`left(${kept.text}, 255)`;
  const activity = sql`${activityInto(schema, author, 'create', collection)}, ${item}`;
  const revisions = revisionsOf(rows);
  if (revisions === null) return activity;
  const stands = references.map((reference) => ({ ...reference, token: randomUUID() }));
  const keys = stands.map((stand) => ({ stand, key: keyAt(stand.kept, stand.places[0] ?? 0) }));
  const [delta] = deltaTexts(rows, stands);
  const parents = owner && revisionsOf(owner.rows);
  const parent = parents === null ? sql`NULL` : keyAt(parents, owner?.places[0] ?? 0);
  const own = sql`${identifier('t', kept.field.column.name)} = ${kept.text}::${bareType(kept.field.column)}`;
  return sql`WITH a AS (${activity} RETURNING id), h AS (${revisionInto(schema)}
      SELECT a.id, ${collection.name}::text, ${item}, ${snapshot(collection)},
        ${withKeys(sql`${delta}::text`, keys)}::json, ${parent}::int4
      FROM a LEFT JOIN ${tableOf(collection)} AS t ON ${own} RETURNING id)
    SELECT ${revisions.keep(sql`h.id::text`)} FROM h`;
}

/** One of some kept texts. */
function keyAt(kept: KeptTexts, place: number): Sql {
  return kept.count === 1 ? kept.text : sql`(${kept.texts})[${place + 1}::int4]`;
}

/** Columns of places, and what the texts at these places are called once they are joined. */
class Joined {
  readonly arrays: Sql[] = [];
  readonly names: Sql[] = [];
  readonly joins: Sql[] = [];

  /** The text of each row. */
  of(kept: KeptTexts, places: readonly number[]): Sql {
    if (kept.count === 1) return kept.text;
    const name = raw(`p${this.arrays.length}`);
    const texts = raw(`o${this.arrays.length}`);
    this.arrays.push(sql`${places.map((place) => place + 1)}::int8[]`);
    this.names.push(name);
    this.joins.push(
      sql` JOIN unnest(${kept.texts}) WITH ORDINALITY AS ${texts}(k, n) ON ${texts}.n = v.${name}`,
    );
    return sql`${texts}.k`;
  }
}

function recordMany(schema: string, author: readonly unknown[], rows: KeptRows): Sql {
  const { collection, kept, references, owner } = rows;
  const keys = sql`unnest(${kept.texts}) WITH ORDINALITY AS k(key, n)`;
  const item = sql`left(k.key, 255)`;
  const activity = sql`${activityInto(schema, author, 'create', collection)}, ${item} FROM ${keys} ORDER BY k.n`;
  const revisions = revisionsOf(rows);
  if (revisions === null) return activity;
  const joined = new Joined();
  const stands = references.map((reference) => ({ ...reference, token: randomUUID() }));
  const known = stands.map((stand) => ({ stand, key: joined.of(stand.kept, stand.places) }));
  const parents = owner && revisionsOf(owner.rows);
  const parent = parents === null ? sql`NULL` : joined.of(parents, owner?.places ?? []);
  const arrays = join([sql`${deltaTexts(rows, stands)}::text[]`, ...joined.arrays]);
  const names = join([raw('delta'), ...joined.names, raw('n')]);
  const { column } = kept.field;
  return sql`WITH a AS (${activity} RETURNING id),
    b AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM a), h AS (${revisionInto(schema)}
      SELECT b.id, ${collection.name}::text, ${item}, ${snapshot(collection)},
        ${withKeys(sql`v.delta`, known)}::json, ${parent}::int4
      FROM unnest(${arrays}) WITH ORDINALITY AS v(${names})
        JOIN ${keys} ON k.n = v.n JOIN b ON b.n = v.n${join(joined.joins, '')}
        LEFT JOIN ${tableOf(collection)} AS t
          ON ${identifier('t', column.name)} = k.key::${bareType(column)}
      ORDER BY v.n RETURNING id)
    SELECT ${revisions.keep(sql`array_agg(h.id ORDER BY h.id)::text`)} FROM h`;
}

/**
 * The statement that records new rows; none when no history is kept.
 * @param schema that of the system tables
 * @param author the values of whoever writes
 */
export function recordKept(schema: string, author: readonly unknown[], rows: KeptRows): Sql {
  if (!hasHistory(rows.collection)) return empty;
  return (rows.kept.count === 1 ? recordOne : recordMany)(schema, author, rows);
}

/**
 * Records the rows that PostgreSQL itself deletes or changes through foreign keys when rows are
 * deleted. Subscribers are notified of them like of any other change.
 */

import { oncePerPair } from '#core/base/once-per.ts';
import { bareType } from '#core/database/column-type.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { identifier, join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { ForeignKeyDescriptor } from '#core/database/table-descriptor.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import { MAX_KEYS } from './changes/change.ts';
import { listenedSql, saveDeletedRowsSql } from './changes/deleted-items.ts';
import { tableOf } from './row-statements.ts';
import type { WriteContext } from './write-context.ts';

/** A foreign key, and the collection that has it. */
interface Link {
  readonly child: Collection;
  readonly key: ForeignKeyDescriptor;
}

/**
 * The effect on the items of one collection, and the links from the deleted rows to these items.
 */
interface Cascade {
  readonly links: readonly Link[];
  readonly child: Collection;
  readonly action: 'delete' | 'update';
}

/** The maximum length of a chain of links from a deleted row. */
const MOST_LINKS = 5;
/** The maximum number of cascades of a collection. */
const MOST_CASCADES = 100;

function linksTo(catalog: Catalog, { table }: Collection): readonly Link[] {
  return [...catalog.collections.values()].flatMap((child) =>
    (child.table?.foreignKeys ?? [])
      .filter((key) => key.targetSchema === table?.schema && key.targetTable === table?.name)
      .map((key) => ({ child, key })),
  );
}

function* found(catalog: Catalog, parent: Collection, before: readonly Link[]): Generator<Cascade> {
  if (before.length === MOST_LINKS) return;
  for (const link of linksTo(catalog, parent)) {
    const { child, key } = link;
    const isDeleted = key.onDelete === 'CASCADE';
    if (!isDeleted && key.onDelete !== 'SET NULL' && key.onDelete !== 'SET DEFAULT') continue;
    const links = [...before, link];
    if (!child.system && child.primaryKey.length === 1) {
      yield { links, child, action: isDeleted ? 'delete' : 'update' };
    }
    if (isDeleted) yield* found(catalog, child, links);
  }
}

/** The cascades that a deletion of items of a collection triggers. */
export const cascadesOf = oncePerPair(
  (catalog: Catalog, collection: Collection): readonly Cascade[] => [
    ...found(catalog, collection, []).take(MOST_CASCADES),
  ],
);

/** `FROM … WHERE …` of the items that a cascade concerns, as `t`. */
function rowsSql(deleted: Collection, keys: readonly Key[], { links }: Cascade): Sql {
  const alias = (place: number) => raw(place === links.length - 1 ? 't' : `c${place}`);
  const tables = links.map(({ child }, place) => sql`${tableOf(child)} AS ${alias(place)}`);
  const matches = links.flatMap(({ key }, place) =>
    key.columns.map((column, part) => {
      const owner = place === 0 ? raw('p') : alias(place - 1);
      const target = identifier(key.targetColumns[part] ?? '');
      return sql`${alias(place)}.${identifier(column)} = ${owner}.${target}`;
    }),
  );
  const arrays = deleted.primaryKey.map(
    (_, part) => sql`${keys.map((key) => key[part] ?? null)}::text[]`,
  );
  const names = deleted.primaryKey.map((_, part) => identifier(`k${part}`));
  const own = deleted.primaryKey.map(
    ({ column }, part) =>
      sql`p.${identifier(column.name)} = ${identifier('k', `k${part}`)}::${bareType(column)}`,
  );
  return sql`FROM unnest(${join(arrays)}) AS k(${join(names)}), ${tableOf(deleted)} AS p,
    ${join(tables)} WHERE ${join([...own, ...matches], ' AND ')}`;
}

/** Stores and publishes the cascaded changes of items that are deleted next. */
export async function recordCascades(write: WriteContext, keys: readonly Key[]): Promise<void> {
  const { client, collection, history, listeners = null, target } = write;
  if (listeners === null || history === undefined) return;
  for (const cascade of cascadesOf(target.catalog, collection)) {
    const { child, action } = cascade;
    const [key] = child.primaryKey;
    if (key === undefined) continue;
    const item = sql`t.${identifier(key.column.name)}::text`;
    const rows = rowsSql(collection, keys, cascade);
    const statement =
      action === 'delete'
        ? sql`${saveDeletedRowsSql(listeners, child, rows, item)} RETURNING item`
        : sql`SELECT ${item} ${rows} AND ${listenedSql(listeners, child.name)}`;
    const items = await rowsOf<[string]>(client, render(statement));
    if (items.length === 0) continue;
    const named = [...new Set(items.map(([text]) => text))];
    history.noteItems(child, action, named.length > MAX_KEYS ? null : named);
  }
}

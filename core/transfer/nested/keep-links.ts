/**
 * Keeps the rows of junctions that link items already: a list of keys replaces a relation to many
 * items, but its links to the same items stay.
 */

import type { JsonObject } from '#core/base/json/json-object.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { bareType } from '#core/database/column-type.ts';
import { sql } from '#core/database/sql.ts';
import { columnOf } from '#core/model/catalog/catalog.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import type { InputItem } from '#core/write/relational/write-items.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { ManyItems } from '../target/reference.ts';

/** The keys of junction rows by the keys of the linked items, for each owner. */
type Links = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The readable links of some items; null where a link has no single key. */
async function linksOf(
  { connection, options, target }: ImportRun,
  { relation, junction, onward }: ManyItems,
  owners: readonly string[],
): Promise<Links | null> {
  const { catalog, sender } = options;
  const { caller, rights, bounds } = sender;
  const grants = rights.reading;
  const [key, more] = junction.primaryKey;
  const [back = ''] = relation.many.columns;
  const [item = ''] = onward.many.columns;
  const [own, composite] = target.collection.primaryKey;
  const owner = columnOf(target.collection, own?.name ?? '');
  if (key === undefined || more !== undefined || composite !== undefined) return null;
  if (owner === null || relation.one.columns.join() !== owner.column.name) return null;
  if (grants.of(junction.name) === null) return null;
  const rows = readableRows({ catalog, grants, caller, bounds, collection: junction.name });
  const owned = sql`${rows.column(back)} = ANY (${owners}::text[]::${bareType(owner.column)}[])`;
  const { rows: found } = await connection.run(sql`SELECT ${rows.column(back)}::text AS "owner",
      ${rows.column(item)}::text AS "item", ${rows.column(key.column.name)}::text AS "key"
    FROM ${rows.from}${rows.where([owned])} ORDER BY ${rows.column(key.column.name)}`);
  const links = new Map<string, Map<string, string>>();
  for (const { owner: of, item: to, key: by } of found) {
    const known = links.get(String(of)) ?? new Map<string, string>();
    links.set(String(of), known);
    if (!known.has(String(to))) known.set(String(to), String(by));
  }
  return links;
}

/** An entry of a list as the key of its junction row, if it only links an item that is linked. */
function entryOf(
  entry: unknown,
  { onward }: ManyItems,
  known: ReadonlyMap<string, string> | undefined,
): unknown {
  if (known === undefined || !isJsonObject(entry)) return entry;
  const [name, ...others] = Object.keys(entry);
  const to = entry[onward.field];
  if (name !== onward.field || others.length > 0 || typeof to !== 'string') return entry;
  return known.get(to) ?? entry;
}

/** The inputs of a batch, with the keys of the links that stay. */
export async function keepLinks(
  run: ImportRun,
  many: ReadonlyMap<string, ManyItems>,
  inputs: readonly InputItem[],
): Promise<readonly InputItem[]> {
  let kept = inputs;
  for (const [field, items] of many) {
    const isConcerned = ({ value }: InputItem): boolean =>
      isJsonObject(value) && Array.isArray(value[field]);
    const owners = kept.flatMap((input) =>
      input.key !== undefined && isConcerned(input) ? [input.key.join()] : [],
    );
    if (owners.length === 0) continue;
    const links = await linksOf(run, items, owners);
    if (links === null) continue;
    kept = kept.map((input) => {
      const { key, value } = input;
      if (key === undefined || !isJsonObject(value)) return input;
      const list = value[field];
      if (!Array.isArray(list)) return input;
      const known = links.get(key.join());
      const changed: JsonObject = {
        ...value,
        [field]: list.map((entry) => entryOf(entry, items, known)),
      };
      return { ...input, value: changed };
    });
  }
  return kept;
}

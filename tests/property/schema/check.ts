/** What must hold after every change of the schema. */

import { type Pool, transaction } from '#core/database/pool.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { readChanges } from '#core/model/catalog/catalog-store.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { ADMIN, type SchemaUnderTest } from '#tests/harness/schema.ts';

/** What is published, and what would be if everything were described anew. */
export async function bothCatalogs(pool: Pool): Promise<[unknown, unknown]> {
  const published = await readChanges(pool, 'public', 0);
  const found = await transaction(pool, async (client) => {
    await client.query('SET LOCAL search_path = pg_catalog');
    return introspect(client, ['public'], 'public');
  });
  const whole = buildDescriptors(found, ['public'], 'public');
  const kept = [...published.collections].filter(([, descriptor]) => descriptor !== null);
  const fresh = whole.collections.map((descriptor) => [descriptor.name, descriptor] as const);
  return [
    { leftOut: published.leftOut, collections: Object.fromEntries(kept) },
    JSON.parse(JSON.stringify({ leftOut: whole.leftOut, collections: Object.fromEntries(fresh) })),
  ];
}

/** A name that some row of metadata tells of, and where. */
interface Mention {
  readonly place: string;
  readonly collection: string;
  /** Null when the row tells of the collection as a whole. */
  readonly field: string | null;
}

/** Everything that rows of metadata and permissions name. */
const MENTIONS = `
  SELECT 'fields' AS place, collection, field FROM system_fields
  UNION ALL SELECT 'collections', collection, NULL FROM system_collections
  UNION ALL SELECT 'group', "group", NULL FROM system_collections WHERE "group" IS NOT NULL
  UNION ALL SELECT 'sort_field', collection, sort_field FROM system_collections
    WHERE sort_field IS NOT NULL
  UNION ALL SELECT 'archive_field', collection, archive_field FROM system_collections
    WHERE archive_field IS NOT NULL
  UNION ALL SELECT 'duplication', collection, d FROM system_collections,
    json_array_elements_text(item_duplication_fields) AS d
  UNION ALL SELECT 'many', many_collection, many_field FROM system_relations
  UNION ALL SELECT 'one', one_collection, NULL FROM system_relations
    WHERE one_collection IS NOT NULL
  UNION ALL SELECT 'discriminator', many_collection, one_collection_field FROM system_relations
    WHERE one_collection_field IS NOT NULL
  UNION ALL SELECT 'junction', many_collection, junction_field FROM system_relations
    WHERE junction_field IS NOT NULL
  UNION ALL SELECT 'allowed', a, NULL FROM system_relations,
    unnest(string_to_array(one_allowed_collections, ',')) AS a
  UNION ALL SELECT 'permission', collection, NULL FROM system_permissions
  UNION ALL SELECT 'permission', collection, f FROM system_permissions,
    unnest(string_to_array(fields, ',')) AS f`;

/** Mentions of what is not there. */
export async function dangling(pool: Pool, catalog: Catalog): Promise<Mention[]> {
  const { rows } = await pool.query<Mention>(MENTIONS);
  // Names of ways back that are out of use, but never mean anything else.
  const spare = [...catalog.collections.values()].flatMap(({ name, fields }) =>
    [...fields.keys()].map((field) => `${name}_by_${field}`),
  );
  return rows.filter(({ collection: name, field }) => {
    const collection = catalog.collections.get(name);
    if (collection === undefined) return true;
    if (field === null || collection.fields.has(field) || spare.includes(field)) return false;
    return catalog.relations.get(name)?.has(field) !== true;
  });
}

/** Gives somebody a right on every field there is, whatever it is. */
export async function permitAll(pool: Pool, policy: string, catalog: Catalog): Promise<void> {
  await pool.query('DELETE FROM system_permissions');
  for (const { name, fields, system } of catalog.collections.values()) {
    if (system) continue;
    const names = [...fields.keys(), ...(catalog.relations.get(name)?.keys() ?? [])];
    await pool.query(
      `INSERT INTO system_permissions (policy, collection, action, fields)
       VALUES ($1, $2, 'read', $3)`,
      [policy, name, names.join(',')],
    );
  }
}

/** A value that no row has yet. */
function value(type: string, count: number): unknown {
  if (type === 'uuid') return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  if (type === 'boolean') return count % 2 === 0;
  if (type === 'timestamp') return new Date(count * 1_000).toISOString();
  if (type === 'csv') return [`v${count}`];
  return ['integer', 'bigInteger', 'decimal', 'float'].includes(type) ? count : `v${count}`;
}

/** An item of the collection; null when it would need another item, or a flag that is taken. */
function itemOf(catalog: Catalog, collection: Collection, count: number): object | null {
  const item: Record<string, unknown> = {};
  const relations = catalog.relations.get(collection.name) ?? new Map<string, Relation>();
  const referring = [...relations.values()].flatMap((relation) => {
    if (relation.kind === 'm2o') return relation.many.columns;
    return relation.kind === 'a2o' ? [relation.field, relation.discriminator] : [];
  });
  for (const { name, type, column } of collection.fields.values()) {
    if (column === null || column.sequence !== null) continue;
    const refers = referring.includes(name);
    if (refers && !column.nullable) return null;
    const unique = collection.table?.indexes.some(
      (index) => index.unique && index.columns.includes(name),
    );
    if (unique && type === 'boolean') return null;
    // What is not unique is mostly the key of a first item, so that it may come to refer to it.
    item[name] = refers ? null : value(type, unique || type === 'uuid' ? count : 1);
  }
  return item;
}

const QUESTION = parsedQuery(
  parseQuery(
    { fields: '*', limit: '3' },
    { limitDefault: 9, limitMax: undefined, maxDepth: 9, maxJsonDepth: 9, maxFields: 99 },
  ),
);

/** Reads every collection with a table and writes to every one that can be written to. */
export async function useAll({ items, source }: SchemaUnderTest, count: number): Promise<number> {
  const catalog = source.current();
  let written = 0;
  for (const collection of catalog.collections.values()) {
    if (collection.system || collection.table === null) continue;
    const target = { caller: ADMIN, collection: collection.name };
    await items.list(target, QUESTION);
    const item = itemOf(catalog, collection, count);
    if (item === null) continue;
    await items.create(target, item, QUESTION);
    await items.list(target, QUESTION);
    written += 1;
  }
  return written;
}

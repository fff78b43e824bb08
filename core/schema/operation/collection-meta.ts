/** Reads and writes the rows of `system_collections`. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, join, raw, sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { CollectionMetaInput } from '../metadata-input.ts';
import type { Alteration } from '../schema-change-context.ts';
import { givenMembers, memberSql } from './metadata-row.ts';

/** A given row; missing members keep their values, or get their default. */
export interface CollectionRow {
  readonly collection: string;
  readonly meta: CollectionMetaInput;
}

/** The group of each collection with a row, after these rows are written. */
function groupsAfter(catalog: Catalog, rows: readonly CollectionRow[]): Map<string, unknown> {
  const groups = new Map<string, unknown>();
  for (const { name, meta, system } of catalog.collections.values()) {
    if (meta !== null && !system) groups.set(name, meta.row.group ?? null);
  }
  for (const { collection, meta } of rows) {
    groups.set(
      collection,
      meta.group === undefined ? (groups.get(collection) ?? null) : meta.group,
    );
  }
  return groups;
}

/**
 * Refuses a group that does not exist, or that contains itself.
 * @throws INVALID_PAYLOAD
 */
export function checkGroups(catalog: Catalog, rows: readonly CollectionRow[]): void {
  const groups = groupsAfter(catalog, rows);
  for (const { collection, meta } of rows) {
    if ((meta.group ?? null) === null) continue;
    const passed = new Set<unknown>([collection]);
    for (let group = groups.get(collection); group !== null; group = groups.get(String(group))) {
      if (group === undefined || !groups.has(String(group))) {
        throw invalidPayload(reason('group_without_metadata', { collection }));
      }
      if (passed.has(group)) throw invalidPayload(reason('group_within_itself', { collection }));
      passed.add(group);
    }
  }
}

/** Inserts rows with one statement, so that they may refer to each other as groups in any order. */
export async function insertCollections(
  { run, system }: Alteration,
  rows: readonly CollectionRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const members = [
    ...new Set(rows.flatMap(({ meta }) => givenMembers(meta).map(([member]) => member))),
  ];
  const lines = rows.map(({ collection, meta }) => {
    const values = new Map(givenMembers(meta));
    const cells = members.map((member) =>
      values.has(member) ? memberSql('collections', member, values.get(member)) : raw('DEFAULT'),
    );
    return sql`(${join([sql`${collection}`, ...cells])})`;
  });
  const columns = ['collection', ...members].map((member) => identifier(member));
  await run(sql`
    INSERT INTO ${systemTable(system, 'collections')} (${join(columns)}) VALUES ${join(lines)}`);
}

/** Changes the given members; a collection without a row gets one. */
export async function writeCollection(
  { run, system }: Alteration,
  { collection, meta }: CollectionRow,
): Promise<void> {
  const members = givenMembers(meta);
  if (members.length === 0) return;
  const columns = [['collection', collection] as const, ...members];
  const changes = members.map(
    ([member]) => sql`${identifier(member)} = ${identifier('excluded', member)}`,
  );
  await run(sql`
    INSERT INTO ${systemTable(system, 'collections')}
      (${join(columns.map(([member]) => identifier(member)))})
    VALUES (${join(columns.map(([member, value]) => memberSql('collections', member, value)))})
    ON CONFLICT (collection) DO UPDATE SET ${join(changes)}`);
}

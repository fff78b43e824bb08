/**
 * Replaces renamed fields and collections in the history and in comments, so that earlier values
 * belong to the field that they were written to.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isDecodable, membersOf } from '#core/read/sql/readable-json.ts';
import type { Alteration } from '../schema-change-context.ts';
import type { RenamedNames } from './renamed-names.ts';

/** A document with renamed members; members of an earlier field of a new name leave it. */
function renamedMembers(row: Sql, before: readonly string[], after: readonly string[]): Sql {
  const each = membersOf(row, isDecodable(row));
  const name = sql`coalesce((SELECT r.name FROM unnest(${before}::text[], ${after}::text[])
    AS r (field, name) WHERE r.field = m.key), m.key)`;
  return sql`CASE json_typeof(${row}) WHEN 'object' THEN (
    SELECT coalesce(json_object_agg(${name}, ${each.value} ORDER BY m.n), '{}')
    FROM ${each.from} WHERE ${each.isNamed} AND NOT m.key = ANY (${after}::text[])) ELSE ${row} END`;
}

function hasAny(row: Sql, fields: readonly string[]): Sql {
  const each = membersOf(row, isDecodable(row));
  return sql`EXISTS (SELECT FROM ${each.from} WHERE m.key = ANY (${fields}::text[]))`;
}

/** Tables with a column `collection` that record what happened to items. */
const HISTORY = ['revisions', 'activity', 'comments'];

/**
 * Rewrites the history that is visible now. Call it before the tables are locked, because it takes
 * long where there is much history.
 * @returns rewrites what was recorded meanwhile, which is quick; call it when the tables are locked
 */
export async function renameHistory(
  alteration: Alteration,
  names: RenamedNames,
): Promise<() => Promise<void>> {
  const [snapshot] = await alteration.ask<{ xid: string }>(
    sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS xid`,
  );
  await rewrite(alteration, names, sql`TRUE`);
  if (snapshot === undefined) throw new TypeError('a statement has no snapshot');
  // Transactions that were open, and later ones, but not this one itself.
  const isLater = sql`r.xmin <> pg_current_xact_id()::xid AND age(r.xmin) <= age(${snapshot.xid}::xid)`;
  return () => rewrite(alteration, names, isLater);
}

async function rewrite(
  { run, system }: Alteration,
  { fields, renamedCollection }: RenamedNames,
  isChosen: Sql,
): Promise<void> {
  for (const [collection, renamed] of Map.groupBy(fields, (one) => one.collection)) {
    const before = renamed.map(({ field }) => field);
    const after = renamed.map(({ to }) => to);
    await run(sql`
      UPDATE ${systemTable(system, 'revisions')} AS r
      SET data = ${renamedMembers(sql`r.data`, before, after)},
        delta = ${renamedMembers(sql`r.delta`, before, after)}
      WHERE r.collection = ${collection} AND ${isChosen}
        AND (${hasAny(sql`r.data`, before)} OR ${hasAny(sql`r.delta`, before)})`);
  }
  if (renamedCollection === null) return;
  const { collection, to } = renamedCollection;
  for (const table of HISTORY) {
    await run(sql`UPDATE ${systemTable(system, table)} SET collection = ${to}
      WHERE collection = ${collection}`);
  }
}

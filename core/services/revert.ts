/**
 * Reverts an item to a revision: writes the values that the caller may see today, like any write.
 * Only differences are written, so the caller needs no permission on unchanged fields.
 */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import type { Visitor } from '#core/accounts/identity/session.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { CONCEALED, type ColumnField, isColumn, isConcealed } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import { JsonText } from '#core/model/values/composite-text.ts';
import type { Key } from '#core/query/key.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { isDecodable, membersOf } from '#core/read/sql/readable-json.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { matchesKey, tableAliasedT } from '#core/write/aliased-table.ts';
import { requireAction } from '#core/write/check-permissions.ts';
import { lockItems } from '#core/write/delete.ts';
import { keyOfItem, snapshot } from '#core/write/history/history.ts';
import type { Item } from '#core/write/payload.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import type { ItemService } from './items.ts';

export interface RevertServiceOptions {
  /** The user's own collections. */
  readonly items: ItemService;
  /** The system collections, including revisions. */
  readonly system: ItemService;
  readonly schema: string;
  readonly bounds: QueryBounds;
}

/** A revision as the caller reads it. */
const stored = v.object({
  id: v.number(),
  collection: v.nullable(v.string()),
  item: v.nullable(v.string()),
  data: v.nullable(v.looseObject({})),
});

interface Revision {
  readonly id: number;
  readonly collection: string;
  readonly item: string;
  /** The members of the item that the caller may see. */
  readonly members: readonly string[];
}

/** A member of the revision that differs from the item. */
interface Difference {
  readonly name: string;
  /** As JSON. */
  readonly text: string;
}

/** Values that every write sets again. */
const REMADE = new Set(['date-updated', 'user-updated', 'role-updated']);

/** Numbers of a JSON text that JavaScript would round. */
const LONG_NUMBER = /\d{16}|\d[eE]/;

function isRestored({ collection, rule }: WriteContext, field: ColumnField): boolean {
  const { generatedExpression, identity } = field.column;
  if (generatedExpression !== null || identity === 'always') return false;
  if (collection.primaryKey.includes(field) || isConcealed(field)) return false;
  if (field.special.some((flag) => REMADE.has(flag))) return false;
  return rule.writable === null || rule.writable.has(field.name);
}

function restored(field: ColumnField, text: string): unknown {
  const isDocument = field.type.startsWith('geometry') || field.type === 'json';
  const isExact = isDocument && field.column.elementType === null && LONG_NUMBER.test(text);
  return isExact && text !== 'null' ? new JsonText(text) : JSON.parse(text);
}

/** The members to write; a mask hides a value that is unknown. */
function changesOf(write: WriteContext, differences: readonly Difference[]): Item {
  const { fields, name: collection } = write.collection;
  const gone = differences.filter(({ name }) => !isColumn(fields.get(name)));
  if (gone.length > 0) {
    const names = gone.map(({ name }) => `"${name}"`).join(', ');
    throw new ServiceError('UNPROCESSABLE_ENTITY', {
      reason: reason('revision_fields_gone', { collection, fields: names }),
    });
  }
  const members = differences.flatMap(({ name, text }) => {
    const field = fields.get(name);
    if (!isColumn(field) || !isRestored(write, field)) return [];
    return text === JSON.stringify(CONCEALED) ? [] : [[name, restored(field, text)] as const];
  });
  return Object.fromEntries(members);
}

export class RevertService {
  readonly #options: RevertServiceOptions;

  constructor(options: RevertServiceOptions) {
    this.#options = options;
  }

  /**
   * Reverts an item to a revision, which the caller must be able to read.
   * @param segment the key of the revision as in the path
   * @throws ServiceError FORBIDDEN; INVALID_PAYLOAD when the revision has no data;
   * UNPROCESSABLE_ENTITY naming fields that no longer exist; errors of a write
   */
  async revert(
    by: { readonly caller: Caller; readonly visitor: Visitor },
    segment: string,
  ): Promise<void> {
    const revision = await this.#revision(by.caller, segment);
    const { items, system } = this.#options;
    const { collection } = revision;
    const service = collection.startsWith(SYSTEM_PREFIX) ? system : items;
    await service.transact({ ...by, collection }, async ({ write, writeOf, history, maxItems }) => {
      const key = keyOfItem(write.collection, revision.item);
      requireAction(write, 'update');
      await lockItems(write, 'update', [key]);
      const value = changesOf(write, await this.#differences(write, revision, key));
      const input = { place: [], value, intent: 'update', key } as const;
      await writeItems(write, [input], { writeOf, maxItems, history: history.ofRevert });
    });
  }

  async #revision(caller: Caller, segment: string): Promise<Revision> {
    const { system, bounds } = this.#options;
    const query = parseQuery({ fields: 'id,collection,item,data' }, bounds);
    const target = { caller, collection: `${SYSTEM_PREFIX}revisions` };
    const { text } = await system.one(target, segment, parsedQuery(query));
    const revision = v.parse(stored, JSON.parse(text.toString()));
    const { collection, item } = revision;
    // Policies may hide fields of some revisions only.
    if (collection === null || item === null) throw forbidden();
    if (revision.data === null) throw invalidPayload(reason('revision_without_data'));
    return { id: revision.id, collection, item, members: Object.keys(revision.data) };
  }

  /** The members of the revision that differ from the locked item or are missing in it. */
  async #differences(
    write: WriteContext,
    { id, members }: Revision,
    key: Key,
  ): Promise<readonly Difference[]> {
    const { client, collection } = write;
    const present = membersOf(sql`s.item`, isDecodable(sql`s.item`));
    const past = membersOf(sql`r.data`, isDecodable(sql`r.data`));
    const { rows } = await client.query<{ name: string; text: string }>(
      render(sql`
        WITH now AS (
          SELECT m.key, (${present.value})::text AS value FROM ${tableAliasedT(collection)},
            LATERAL (SELECT ${snapshot(collection)} AS item) AS s, ${present.from}
          WHERE ${matchesKey(collection, key)} AND ${present.isNamed}
        ), past AS (
          SELECT m.key, (${past.value})::text AS value
          FROM ${systemTable(this.#options.schema, 'revisions')} AS r, ${past.from}
          WHERE r.id = ${id} AND ${past.isNamed}
        )
        SELECT key AS name, past.value AS text FROM past LEFT JOIN now USING (key)
        WHERE key = ANY (${members}::text[]) AND past.value IS DISTINCT FROM now.value ORDER BY key`),
    );
    return rows;
  }
}

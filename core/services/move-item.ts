/**
 * Moves items within the order of their collection. Moves in a collection run one after the other.
 * Each writes only the rows whose position changes, and the caller must be allowed to update all of
 * them. The moved item is updated as by any write; for its neighbours only the positions are
 * written.
 */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { empty, identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { distinctKeys, type Key, keyOfBody } from '#core/query/key.ts';
import { keyColumns, matchesKey, tableAliasedT } from '#core/write/aliased-table.ts';
import { checkUpdates, permittedRows, requireAction } from '#core/write/check-permissions.ts';
import { lockItems } from '#core/write/delete.ts';
import type { Row } from '#core/write/payload.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import { WriteBudget } from '#core/write/write-budget.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { updateRows } from '#core/write/write-rows.ts';
import type { ItemService } from './items.ts';
import type { RequestTarget } from './request-context.ts';
import type { WriteSession } from './write-session.ts';

/** The keys of the item that moves, and of the one whose position it takes. */
export interface ItemMove {
  readonly item: unknown;
  readonly to: unknown;
}

const WHOLE = new Set(['integer', 'bigInteger']);
const NUMBERS = new Set([...WHOLE, 'decimal', 'float']);

/** The current order, with positions as texts. */
interface Order {
  /** Every item has a position, and all positions differ. */
  readonly clean: boolean;
  readonly from: string | null;
  readonly to: string | null;
  /**
   * The amount that raises the positions, from the lower of both or all of them, above all others.
   * Only unique positions are raised.
   */
  readonly lift: string;
  readonly liftAll: string;
}

/** The rows of `t` to change, and their new positions. */
interface Plan {
  readonly rows: Sql;
  readonly position: Sql;
  /** Further FROM entries that both expressions need. */
  readonly beside: readonly Sql[];
}

/** @throws ServiceError INVALID_PAYLOAD when the collection has no sort field */
function sortFieldOf({ name, meta, fields }: Collection): ColumnField {
  const field = fields.get(meta?.sortField ?? '');
  if (field?.column && NUMBERS.has(field.type)) return { ...field, column: field.column };
  throw invalidPayload(reason('no_sort_field', { name }));
}

/** A row whose position changes. */
interface Moved {
  readonly key: Key;
  /** It is the moved item, for any spelling of its key in the body. */
  readonly isOwn: boolean;
  readonly position: string | null;
  /** A position above all others; null where positions need not be unique. */
  readonly lifted: string | null;
}

function isUnique({ table }: Collection, { column }: ColumnField): boolean {
  const indexes = table?.indexes ?? [];
  return indexes.some(({ unique, columns }) => unique && columns.includes(column.name));
}

class Sorting {
  readonly #write: WriteContext;
  readonly #field: ColumnField;
  readonly #item: Key;
  readonly #to: Key;
  readonly #allowance: WriteBudget;

  constructor(
    { write, maxItems }: Pick<WriteSession, 'write' | 'maxItems'>,
    field: ColumnField,
    item: Key,
    to: Key,
  ) {
    this.#allowance = new WriteBudget(maxItems);
    this.#write = write;
    this.#field = field;
    this.#item = item;
    this.#to = to;
  }

  /**
   * Moves all neighbours, and determines the item's new position.
   * @returns its new position as text; null when that is the old one
   */
  async makeRoom(): Promise<string | null> {
    const { collection } = this.#write;
    await this.#takeTurn();
    await lockItems(this.#write, 'update', distinctKeys([this.#item, this.#to]));
    const order = await this.#order();
    const isStep = order.clean && WHOLE.has(this.#field.type);
    const plan = isStep ? this.#steps(order) : this.#ranks();
    await this.#count(plan);
    const moved = await this.#judge(plan, isStep ? order.lift : order.liftAll);
    if (isStep && order.from === order.to) return null;
    // PostgreSQL checks unique positions row by row, so no position may be used twice at any
    // moment.
    if (isUnique(collection, this.#field)) await this.#place(moved, ({ lifted }) => lifted);
    const neighbours = moved.filter(({ isOwn }) => !isOwn);
    await this.#place(neighbours, ({ position }) => position);
    return moved.find(({ isOwn }) => isOwn)?.position ?? null;
  }

  get #position(): Sql {
    return identifier('t', this.#field.column.name);
  }

  #cast(value: Sql): Sql {
    return sql`${value}::${bareType(this.#field.column)}`;
  }

  /** Waits for earlier moves, in this process and all other processes. */
  async #takeTurn(): Promise<void> {
    const { client, collection } = this.#write;
    const lock = `sluice sort ${collection.table?.schema}.${collection.table?.name}`;
    await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
  }

  async #order(): Promise<Order> {
    const { client, collection } = this.#write;
    const p = this.#position;
    const table = tableAliasedT(collection);
    const of = (key: Key) =>
      sql`(SELECT ${p} AS p FROM ${table} WHERE ${matchesKey(collection, key)})`;
    const { rows } = await client.query<Order>(
      render(sql`SELECT count(*) = count(DISTINCT ${p}) AS clean,
          a.p::text AS "from", b.p::text AS "to",
          (max(${p})::numeric - least(a.p, b.p) + 1)::text AS lift,
          (greatest(max(${p})::numeric, count(*)) - min(${p}) + 1)::text AS "liftAll"
        FROM ${table}, ${of(this.#item)} AS a, ${of(this.#to)} AS b GROUP BY a.p, b.p`),
    );
    const [order] = rows;
    if (order === undefined) throw forbidden();
    return order;
  }

  /** Between the two positions, each item moves by one. */
  #steps({ from, to }: Order): Plan {
    const p = this.#position;
    const [start, end] = [BigInt(from ?? 0), BigInt(to ?? 0)];
    const [low, high] = start < end ? [start, end] : [end, start];
    const text = (value: bigint) => this.#cast(sql`${String(value)}::text`);
    const step = start < end ? -1n : 1n;
    return {
      rows: sql`${p} BETWEEN ${text(low)} AND ${text(high)}`,
      position: sql`CASE WHEN ${matchesKey(this.#write.collection, this.#item)} THEN ${text(end)}
        ELSE ${p} + ${text(step)} END`,
      beside: [],
    };
  }

  /** All items are numbered from 1; those without a position come last. */
  #ranks(): Plan {
    const { collection } = this.#write;
    const p = this.#position;
    const keys = keyColumns(collection);
    const names = keys.map((_, part) => identifier(`k${part + 1}`));
    const own = names.map((name, part) => sql`${keys[part]} AS ${name}`);
    const match = names.map((name, part) => sql`m.${name} = ${keys[part]}`);
    const [item, to] = [this.#item, this.#to].map((key) => matchesKey(collection, key));
    const position = this.#cast(sql`m.position`);
    const moves = sql`(
      SELECT ${join(names)}, CASE
          WHEN n = a THEN b WHEN n > a AND n <= b THEN n - 1 WHEN n >= b AND n < a THEN n + 1
          ELSE n END AS position
      FROM (
        SELECT r.*, max(n) FILTER (WHERE is_item) OVER () AS a, max(n) FILTER (WHERE is_to) OVER () AS b
        FROM (
          SELECT ${join(own)}, ${item} AS is_item, ${to} AS is_to,
            row_number() OVER (ORDER BY ${join([sql`${p} NULLS LAST`, ...keys])}) AS n
          FROM ${tableAliasedT(collection)}
        ) AS r
      ) AS s) AS m`;
    return {
      rows: sql`${join(match, ' AND ')} AND ${p} IS DISTINCT FROM ${position}`,
      position,
      beside: [moves],
    };
  }

  /** @throws ServiceError INVALID_PAYLOAD when the plan writes more rows than a request may */
  async #count({ rows, beside }: Plan): Promise<void> {
    const { left } = this.#allowance;
    if (!Number.isFinite(left)) return;
    const { client, collection } = this.#write;
    const from = join([tableAliasedT(collection), ...beside]);
    const { rows: found } = await client.query<{ count: number }>(
      render(sql`SELECT count(*)::int4 AS count FROM (
        SELECT FROM ${from} WHERE ${rows} LIMIT ${left + 1}::int8) AS moved`),
    );
    this.#allowance.take(found[0]?.count ?? 0);
  }

  /**
   * Locks all rows of the plan, and checks the caller's permissions on them.
   * @param lift is added to unique positions to avoid temporary duplicates
   */
  async #judge({ rows, position, beside }: Plan, lift: string): Promise<readonly Moved[]> {
    const write = this.#write;
    const { client, collection } = write;
    const keys = keyColumns(collection);
    const found = sql`FROM ${join([tableAliasedT(collection), ...beside])} WHERE ${rows}`;
    const condition = permittedRows(write, 'update');
    const covered = condition === null ? empty : sql` AND ${condition}`;
    // Without unique positions no raised position is computed, so none can overflow.
    const lifted = isUnique(collection, this.#field)
      ? sql`${this.#position} + ${this.#cast(sql`${lift}::text`)}`
      : sql`NULL`;
    const isOwn = matchesKey(collection, this.#item);
    const columns = [...keys, sql`(${position})`, sql`(${lifted})`, sql`(${isOwn})`];
    const texts = columns.map((one) => sql`${one}::text`);
    const locked = await rowsOf<(string | null)[]>(
      client,
      render(sql`SELECT ${join(texts)} ${found}${covered} ORDER BY ${join(keys)} FOR UPDATE OF t`),
    );
    if (condition !== null) {
      const all = await rowsOf(client, render(sql`SELECT ${found}`));
      if (all.length > locked.length) throw forbidden();
    }
    const moved = locked.map((row) => ({
      key: row.slice(0, keys.length).map((part) => part ?? ''),
      position: row[keys.length] ?? null,
      lifted: row[keys.length + 1] ?? null,
      isOwn: row[keys.length + 2] === 'true',
    }));
    const named = distinctKeys([this.#item, this.#to, ...moved.map(({ key }) => key)]);
    const item = { [this.#field.name]: null };
    await checkUpdates(
      write,
      named.map((key) => ({ key, item })),
    );
    return moved;
  }

  /** Writes the positions of rows. */
  async #place(moved: readonly Moved[], positionOf: (row: Moved) => string | null): Promise<void> {
    const { client, collection } = this.#write;
    const rows = moved.map((row): Row => new Map([[this.#field, positionOf(row)]]));
    const keys = moved.map(({ key }) => key);
    await updateRows(client, collection, keys, rows);
  }
}

/**
 * Gives an item the position of another; the items in between move by one. Items without a position
 * are numbered at the same time. History records only the move of the item.
 * @throws ServiceError INVALID_PAYLOAD when the collection has no sort field, or more positions
 * change than MAX_BATCH_MUTATION allows; FORBIDDEN unless the caller may update that field of every
 * item whose position changes
 */
export function moveItem(items: ItemService, target: RequestTarget, move: ItemMove): Promise<void> {
  return items.transact(target, async (session) => {
    const { write, history } = session;
    const { collection } = write;
    requireAction(write, 'update');
    const field = sortFieldOf(collection);
    const key = keyOfBody(collection, move.item);
    const sorting = new Sorting(session, field, key, keyOfBody(collection, move.to));
    const position = await sorting.makeRoom();
    history.noteMany(collection);
    if (position === null) return;
    const number = Number(position);
    const value = { [field.name]: Number.isSafeInteger(number) ? number : position };
    await writeItems(write, [{ place: [], value, intent: 'update', key }], session);
  });
}

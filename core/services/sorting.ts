/**
 * Moves items within the order of their collection. Moves of a collection run one after the other.
 * Each writes only the rows whose position changes, and the caller must be allowed to update all of
 * them.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { isAnyItem, isItem, keyColumns, tableAsT } from '#core/mutation/address.ts';
import { Allowance } from '#core/mutation/allowance.ts';
import { lockItems } from '#core/mutation/delete.ts';
import { coveredRows, judgeAction, judgeChanges } from '#core/mutation/judge.ts';
import { Preparation } from '#core/mutation/prepare.ts';
import { keysFrom } from '#core/mutation/rows.ts';
import type { Write } from '#core/mutation/target.ts';
import { distinctKeys, type Key, keyOfBody } from '#core/query/key.ts';
import type { ItemService } from './items.ts';
import type { Target } from './request-context.ts';
import type { Session } from './write-session.ts';

/** The keys of the item that moves, and of the one whose position it takes. */
export interface Move {
  readonly item: unknown;
  readonly to: unknown;
}

const WHOLE = new Set(['integer', 'bigInteger']);
const NUMBERS = new Set([...WHOLE, 'decimal', 'float']);

/** The current order, with positions as texts. */
interface Order {
  /** Every item has a position, and no two have the same. */
  readonly clean: boolean;
  readonly from: string | null;
  readonly to: string | null;
  /**
   * The amount that lifts the positions from the lower of both on, or all of them, above all
   * others.
   */
  readonly lift: string;
  readonly liftAll: string;
}

/** Which rows of `t` get which positions. */
interface Plan {
  readonly rows: Sql;
  readonly position: Sql;
  /** What both expressions need besides `t`, as an entry of FROM. */
  readonly beside: readonly Sql[];
}

/** @throws ServiceError INVALID_PAYLOAD when the collection has no sort field */
function sortFieldOf({ name, meta, fields }: Collection): ColumnField {
  const field = fields.get(meta?.sortField ?? '');
  if (field?.column && NUMBERS.has(field.type)) return { ...field, column: field.column };
  throw invalidPayload(`"${name}" has no sort field that holds numbers.`);
}

function isUnique({ table }: Collection, { column }: ColumnField): boolean {
  const indexes = table?.indexes ?? [];
  return indexes.some(({ unique, columns }) => unique && columns.includes(column.name));
}

class Sorting {
  readonly #write: Write;
  readonly #field: ColumnField;
  readonly #item: Key;
  readonly #to: Key;
  readonly #allowance: Allowance;

  constructor(
    { write, maxItems }: Pick<Session, 'write' | 'maxItems'>,
    field: ColumnField,
    item: Key,
    to: Key,
  ) {
    this.#allowance = new Allowance(maxItems);
    this.#write = write;
    this.#field = field;
    this.#item = item;
    this.#to = to;
  }

  /**
   * Moves the item.
   * @returns its new position as text; null when that is the old one
   */
  async move(): Promise<string | null> {
    const { collection } = this.#write;
    await this.#takeTurn();
    await lockItems(this.#write, 'update', distinctKeys([this.#item, this.#to]));
    const order = await this.#order();
    const steps = order.clean && WHOLE.has(this.#field.type);
    const plan = steps ? this.#steps(order, '0') : this.#ranks();
    await this.#count(plan);
    const judged = await this.#judge(plan);
    if (steps && order.from === order.to) return null;
    let position: string | null;
    if (!isUnique(collection, this.#field)) position = await this.#carryOut(plan, judged);
    else if (steps)
      position = await this.#lifted(plan, order.lift, judged, (lift) => this.#steps(order, lift));
    // Ranks come from the positions, so that all of them are lifted, or none.
    else
      position = await this.#lifted({ ...plan, rows: sql`TRUE` }, order.liftAll, null, () =>
        this.#ranks(),
      );
    return position === order.from ? null : position;
  }

  get #position(): Sql {
    return identifier('t', this.#field.column.name);
  }

  #cast(value: Sql): Sql {
    return sql`${value}::${bareType(this.#field.column)}`;
  }

  /** Waits for earlier moves, in this process and all others. */
  async #takeTurn(): Promise<void> {
    const { client, collection } = this.#write;
    const lock = `sluice sort ${collection.table?.schema}.${collection.table?.name}`;
    await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
  }

  async #order(): Promise<Order> {
    const { client, collection } = this.#write;
    const p = this.#position;
    const table = tableAsT(collection);
    const of = (key: Key) => sql`(SELECT ${p} AS p FROM ${table} WHERE ${isItem(collection, key)})`;
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

  /** Between the two, each item moves by one. @param lift what was added to the positions */
  #steps({ from, to }: Order, lift: string): Plan {
    const p = this.#position;
    const [start, end] = [BigInt(from ?? 0), BigInt(to ?? 0)];
    const [low, high] = start < end ? [start, end] : [end, start];
    const shift = BigInt(lift);
    const text = (value: bigint) => this.#cast(sql`${String(value)}::text`);
    const step = (start < end ? -1n : 1n) - shift;
    return {
      rows: sql`${p} BETWEEN ${text(low + shift)} AND ${text(high + shift)}`,
      position: sql`CASE WHEN ${isItem(this.#write.collection, this.#item)} THEN ${text(end)}
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
    const [item, to] = [this.#item, this.#to].map((key) => isItem(collection, key));
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
          FROM ${tableAsT(collection)}
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
    const from = join([tableAsT(collection), ...beside]);
    const { rows: found } = await client.query<{ count: number }>(
      render(sql`SELECT count(*)::int4 AS count FROM (
        SELECT FROM ${from} WHERE ${rows} LIMIT ${left + 1}::int8) AS moved`),
    );
    this.#allowance.take(found[0]?.count ?? 0);
  }

  /**
   * Checks the rights on all rows of the plan.
   * @returns their keys; null when the caller may write any
   */
  async #judge({ rows, beside }: Plan): Promise<readonly Key[] | null> {
    const write = this.#write;
    const { client, collection, target } = write;
    const { name } = this.#field;
    const free = target.rights
      .of(collection.name, 'update')
      .some(({ rule, fields }) => rule === null && (fields === null || fields.has(name)));
    const ends = [this.#item, this.#to];
    const keys = keyColumns(collection);
    const texts = join(keys.map((key) => sql`${key}::text`));
    const found = sql`FROM ${join([tableAsT(collection), ...beside])} WHERE ${rows}`;
    const condition = coveredRows(write, 'update');
    const covered = condition === null ? empty : sql` AND ${condition}`;
    const written = free
      ? []
      : await keysFrom(
          client,
          sql`SELECT ${texts} ${found}${covered} ORDER BY ${join(keys)} FOR UPDATE OF t`,
        );
    if (!free && condition !== null) {
      const all = await keysFrom(client, sql`SELECT ${texts} ${found}`);
      if (all.length > written.length) throw forbidden();
    }
    const all = distinctKeys([...ends, ...written]);
    await judgeChanges(
      write,
      all.map((key) => ({ key, item: { [name]: null } })),
    );
    return free ? null : all;
  }

  /**
   * Writes positions; with `among` only those of the named items.
   * @returns the item's own position, when it is written
   */
  async #carryOut(
    { rows, position, beside }: Plan,
    among: readonly Key[] | null,
  ): Promise<string | null> {
    const { client, collection } = this.#write;
    const p = this.#position;
    const from = beside.length === 0 ? empty : sql`FROM ${join(beside)}`;
    const held = among === null ? empty : sql`AND ${isAnyItem(collection, among)}`;
    const { rows: found } = await client.query<{ position: string }>(
      render(sql`
        WITH moved AS (
          UPDATE ${tableAsT(collection)} SET ${identifier(this.#field.column.name)} = ${position}
          ${from} WHERE ${rows} ${held}
          RETURNING ${isItem(collection, this.#item)} AS own, ${p}::text AS position)
        SELECT position FROM moved WHERE own`),
    );
    return found[0]?.position ?? null;
  }

  /** When positions must be unique, they are lifted above all others first. */
  async #lifted(
    { rows }: Plan,
    lift: string,
    among: readonly Key[] | null,
    plan: (lift: string) => Plan,
  ): Promise<string | null> {
    const position = sql`${this.#position} + ${this.#cast(sql`${lift}::text`)}`;
    await this.#carryOut({ rows, position, beside: [] }, among);
    return this.#carryOut(plan(lift), among);
  }
}

/**
 * Gives an item the position of another; those in between move one slot. Items without a position
 * of their own are numbered on that occasion. Of all that, history tells the move of the item.
 * @throws ServiceError INVALID_PAYLOAD when the collection has no sort field, or more positions
 *   change than MAX_BATCH_MUTATION allows; FORBIDDEN unless the caller may update that field of
 *   every item whose position changes
 */
export function moveItem(items: ItemService, target: Target, move: Move): Promise<void> {
  return items.transact(target, async (session) => {
    const { write, history } = session;
    const { collection } = write;
    judgeAction(write, 'update');
    const field = sortFieldOf(collection);
    const item = keyOfBody(collection, move.item);
    const position = await new Sorting(session, field, item, keyOfBody(collection, move.to)).move();
    history.noteMany(collection);
    if (position === null) return;
    const delta = { [field.name]: WHOLE.has(field.type) ? Number(position) : position };
    // Rules on the new value apply here too.
    await (await Preparation.open(write, 'update')).of(delta, delta);
    await history.record(collection, 'update', [{ key: item, delta, parent: null }]);
  });
}

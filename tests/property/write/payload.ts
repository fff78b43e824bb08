/** Draws payloads of every kind of relation and any depth; some have something wrong in them. */
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Relation, ToMany } from '#core/model/catalog/relation.ts';
import type { Dice } from '#tests/harness/dice.ts';
import type { Payload } from './model.ts';
import { isTable, keyNames, type State, type Table } from './world.ts';

const MAX_DEPTH = 4;

export interface Drawn {
  readonly table: Table;
  readonly intent: 'create' | 'update';
  readonly payload: Payload;
  /** Something in it is wrong for everybody. */
  readonly broken: boolean;
}

/** What is wrong at some place. */
const WRONG: readonly [Payload, ...Payload[]] = [
  { n: 'not a number' },
  { n: 4_294_967_296 },
  { name: { an: 'object' } },
  { name: 'a\u0000b' },
  { ds: 5, any: 5, as: 'x', below: true },
  { ds: { drop: [] }, any: { drop: [] }, as: { create: {} }, below: { update: [{}] } },
];

export class Drawing {
  readonly #catalog: Catalog;
  readonly #state: State;
  readonly #dice: Dice;
  readonly #mark: () => number;
  /** Rows that the payload names already: what it says of them twice is tried elsewhere. */
  readonly #used = new Set<string>();
  #broken = false;

  constructor(catalog: Catalog, state: State, dice: Dice, mark: () => number) {
    this.#catalog = catalog;
    this.#state = state;
    this.#dice = dice;
    this.#mark = mark;
  }

  draw(): Drawn {
    const table = this.#dice.pick<Table>(['a', 'a', 'a', 'b', 'b', 'd', 'j', 'k', 'c']);
    const key = this.#dice.below(2) === 0 ? null : this.#fresh(table);
    const intent = key === null ? 'create' : 'update';
    const payload = this.#item(table, key, 0, null);
    return { table, intent, payload, broken: this.#broken };
  }

  #chance(one: number): boolean {
    return this.#dice.below(one) === 0;
  }

  /** A row that the payload does not name yet. */
  #fresh(table: Table): Payload | null {
    const rows = [...(this.#state.get(table)?.entries() ?? [])];
    const [key, row] = rows[this.#dice.below(Math.max(1, rows.length))] ?? [];
    if (key === undefined || row === undefined || this.#used.has(`${table} ${key}`)) return null;
    this.#used.add(`${table} ${key}`);
    return Object.fromEntries(keyNames(table).map((name) => [name, Number(row[name])]));
  }

  #anyKey(table: Table): number | number[] {
    const rows = [...(this.#state.get(table)?.values() ?? [])];
    const row = rows[this.#dice.below(Math.max(1, rows.length))];
    if (row === undefined || this.#chance(40)) return table === 'c' ? [9, 9] : 99_999;
    const parts = keyNames(table).map((name) => Number(row[name]));
    return table === 'c' ? parts : (parts[0] ?? 0);
  }

  /** An item, new or with the key of one that is there. */
  #item(table: Table, key: Payload | null, depth: number, owner: ToMany | null): Payload {
    const item: Payload = key === null ? this.#newItem(table) : { ...key };
    if (key !== null && this.#chance(4)) return item;
    if (this.#chance(2)) item.n = this.#dice.below(100);
    if (this.#chance(6)) item.name = this.#chance(3) ? null : this.#dice.pick(['bad', 'good']);
    if (this.#chance(6)) item.seen = this.#chance(2);
    for (const [name, relation] of this.#catalog.relations.get(table) ?? []) {
      if (relation.kind === 'a2o') this.#any(item, depth);
      else if (owner?.manyField !== name) this.#relate(item, name, relation, depth, key === null);
    }
    if (this.#chance(60)) this.#break(table, item);
    return item;
  }

  #newItem(table: Table): Payload {
    const number = this.#mark();
    const item: Payload = { mark: `m${number}` };
    if (!this.#chance(12)) item.name = this.#dice.pick(['good', 'good', 'good', 'bad']);
    if (table === 'c') return { ...item, x: 2, y: number };
    if (this.#chance(6)) item.id = 1_000_000 + 1_000 * number;
    if (table === 'd' && this.#chance(3)) item.place = this.#dice.below(20);
    return item;
  }

  #break(table: Table, item: Payload): void {
    const wrong = this.#dice.pick(WRONG);
    const relations = this.#catalog.relations.get(table);
    const known = ['n', 'name'];
    const entry = Object.entries(wrong).find(
      ([name]) => known.includes(name) || (relations?.get(name)?.kind ?? 'm2o') !== 'm2o',
    );
    if (entry === undefined) return;
    item[entry[0]] = entry[1];
    this.#broken = true;
  }

  #any(item: Payload, depth: number): void {
    if (this.#chance(2)) return;
    const kind = this.#dice.pick<Table>(['a', 'b']);
    item.kind = kind;
    if (depth < MAX_DEPTH && this.#chance(2)) {
      item.item = this.#item(kind, this.#chance(2) ? this.#fresh(kind) : null, depth + 1, null);
    } else item.item = this.#chance(5) ? null : this.#anyKey(kind);
  }

  #relate(item: Payload, name: string, relation: Relation, depth: number, isNew: boolean): void {
    if (relation.kind === 'm2o') {
      if (!isNew && this.#chance(2)) return;
      const target = relation.one.collection;
      if (!isTable(target)) return;
      if (depth < MAX_DEPTH && this.#chance(3)) {
        item[name] = this.#item(
          target,
          this.#chance(2) ? this.#fresh(target) : null,
          depth + 1,
          null,
        );
      } else if (this.#chance(8)) item[name] = null;
      else item[name] = this.#anyKey(target);
      return;
    }
    if (relation.kind === 'a2o' || depth >= MAX_DEPTH || !this.#chance(depth + 2)) return;
    const child = relation.many.collection;
    if (isTable(child)) item[name] = this.#list(child, relation, depth);
  }

  #list(child: Table, relation: ToMany, depth: number): unknown {
    const some = (most: number) => Array.from({ length: this.#dice.below(most) });
    const create = () => some(3).map(() => this.#item(child, null, depth + 1, relation));
    const existing = () =>
      some(4)
        .map(() => this.#fresh(child))
        .filter((key) => key !== null);
    const update = () =>
      existing().map((key) => {
        const item = this.#item(child, key, depth + 1, relation);
        // What the item says of its owner itself does not count.
        return this.#chance(8) ? { ...item, [relation.manyField]: null } : item;
      });
    const keys = () =>
      existing().map((key) => {
        const parts = Object.values(key);
        return parts.length === 1 ? parts[0] : parts;
      });
    if (this.#chance(10)) return null;
    if (this.#chance(2)) return [...update(), ...create(), ...keys()];
    return {
      ...(this.#chance(3) ? {} : { create: create() }),
      ...(this.#chance(3) ? {} : { update: update() }),
      ...(this.#chance(3) ? {} : { delete: keys() }),
    };
  }
}

/**
 * What a payload does, said as plainly as possible: one item after the other, first what it refers
 * to, then the item, then its lists. Rights are judged by the rows as they were.
 */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { Relation, ToMany } from '#core/model/catalog/relation.ts';
import { type Action, type Permits, permitName } from './rights.ts';
import { isTable, keyNames, keyText, type Row, type State, type Table } from './world.ts';

export type Payload = Record<string, unknown>;

/** The payload is refused as a whole. */
export class Refused extends Error {}

function refuse(reason: string): never {
  throw new Refused(reason);
}

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tableOf(name: string): Table {
  return isTable(name) ? name : refuse(`no table ${name}`);
}

/** The key that a bare value names. */
function bareKey(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The elements of a list in either form. */
function elementsOf(value: unknown): unknown[] {
  if (!isPayload(value)) return listOf(value);
  return [...listOf(value.create), ...listOf(value.update)];
}

/** To whom a row is given: values for its columns. */
interface Owner {
  readonly relation: ToMany;
  readonly values: readonly (string | null)[];
  readonly isMember: boolean;
}

interface Place {
  readonly root: boolean;
  readonly intent: 'create' | 'update' | 'either';
  readonly owner: Owner | null;
}

export class Model {
  readonly #catalog: Catalog;
  readonly #permits: Permits;
  readonly #before: State;
  readonly after: State;
  /** Rows whose owner the payload names, by relation. */
  readonly #claimed = new Set<string>();

  constructor(catalog: Catalog, permits: Permits, state: State) {
    this.#catalog = catalog;
    this.#permits = permits;
    this.#before = state;
    this.after = structuredClone(state);
  }

  /** @throws Refused */
  put(table: Table, payload: Payload, intent: 'create' | 'update'): void {
    this.#gather(table, payload);
    this.#write(table, payload, { root: true, intent, owner: null });
  }

  #collection(table: Table): Collection {
    return this.#catalog.collections.get(table) ?? refuse(`no collection ${table}`);
  }

  #relation(table: Table, name: string): Relation | undefined {
    return this.#catalog.relations.get(table)?.get(name);
  }

  #was(table: Table, key: string): Row | undefined {
    return this.#before.get(table)?.get(key);
  }

  #now(table: Table): Map<string, Row> {
    return this.after.get(table) ?? refuse(`no state of ${table}`);
  }

  #gather(table: Table, payload: Payload): void {
    const own = keyIn(table, payload);
    for (const [name, value] of Object.entries(payload)) {
      const relation = this.#relation(table, name);
      if (relation === undefined) continue;
      if (relation.kind === 'm2o' || relation.kind === 'a2o') {
        // Who says to whom a row belongs does not mean that it leaves.
        if (own !== null) this.#claimed.add(`${table} ${relation.many.columns} ${own}`);
        if (!isPayload(value)) continue;
        const one = relation.kind === 'm2o' ? relation.one.collection : String(payload.kind);
        this.#gather(tableOf(one), value);
        continue;
      }
      const child = tableOf(relation.many.collection);
      for (const element of elementsOf(value)) {
        const key = isPayload(element) ? keyIn(child, element) : bareKey(element);
        if (key !== null) this.#claimed.add(`${child} ${relation.many.columns} ${key}`);
        if (isPayload(element)) this.#gather(child, element);
      }
    }
  }

  /** Whether the caller may do something to a row that exists; `fields` are what it changes. */
  #judge(action: Action, table: Table, row: Row | null, fields: readonly string[]): void {
    if (this.#permits === null) return;
    const allowed = this.#permits.get(permitName(action, table));
    if (allowed === undefined) refuse(`${action} ${table}`);
    if (row !== null && allowed.seen && row.seen !== 'true') refuse(`${action} hidden ${table}`);
    const refused = fields.find((name) => allowed.without.includes(name));
    if (refused !== undefined) refuse(`${action} ${table}.${refused}`);
  }

  #sees(table: Table, row: Row | undefined): boolean {
    if (this.#permits === null) return true;
    const allowed = this.#permits.get(permitName('read', table));
    return allowed !== undefined && row !== undefined && (!allowed.seen || row.seen === 'true');
  }

  #link(table: Table, key: string): void {
    const row = this.#was(table, key);
    if (row === undefined || !this.#sees(table, row)) refuse(`link to ${table} ${key}`);
  }

  /** @returns the values by which the item is referred to */
  #write(table: Table, given: Payload, { root, intent, owner }: Place): Row {
    const key = keyIn(table, given);
    const payload = owner === null ? given : withoutOwner(given, owner.relation);
    const found = key === null || intent === 'create' ? undefined : this.#was(table, key);
    if (intent === 'create' && key !== null && this.#was(table, key)) refuse('key is taken');
    if (intent === 'update' && found === undefined) refuse('nothing to update');
    const row: Row = found === undefined ? this.#blank(table) : { ...this.#row(table, key ?? '') };
    const moved = owner !== null && !(found !== undefined && owner.isMember);
    const names = Object.keys(payload).filter(
      (name) => found === undefined || !keyNames(table).includes(name),
    );
    if (!root && found !== undefined && names.length === 0 && !moved) {
      this.#link(table, key ?? '');
      return row;
    }
    const fields = names.flatMap((name) => this.#columnsOf(table, name));
    if (moved) fields.push(...owner.relation.many.columns);
    this.#judge(found === undefined ? 'create' : 'update', table, found ?? null, fields);
    this.#members(table, payload, row, found);
    // Of what the payload does not name here, what it refers to may have changed something.
    if (found !== undefined) {
      for (const [name, value] of Object.entries(this.#row(table, key ?? ''))) {
        if (!fields.includes(name)) row[name] = value;
      }
    }
    if (moved) {
      for (const [index, column] of owner.relation.many.columns.entries()) {
        row[column] = owner.values[index] ?? null;
      }
    }
    this.#keep(table, row, found === undefined ? 'create' : 'update', payload);
    for (const [name, value] of Object.entries(payload)) {
      const relation = this.#relation(table, name);
      if (relation && relation.kind !== 'm2o' && relation.kind !== 'a2o') {
        this.#list(relation, value, row, found);
      }
    }
    return row;
  }

  #row(table: Table, key: string): Row {
    return this.#now(table).get(key) ?? this.#was(table, key) ?? refuse(`no ${table} ${key}`);
  }

  #blank(table: Table): Row {
    const row: Row = {};
    for (const field of this.#collection(table).fields.values()) {
      if (field.column !== null) row[field.column.name] = null;
    }
    return { ...row, seen: 'true' };
  }

  /** The columns behind the name of a member. */
  #columnsOf(table: Table, name: string): readonly string[] {
    const relation = this.#relation(table, name);
    return relation?.kind === 'm2o' ? relation.many.columns : [name];
  }

  #members(table: Table, payload: Payload, row: Row, found: Row | undefined): void {
    for (const [name, value] of Object.entries(payload)) {
      const relation = this.#relation(table, name);
      if (relation?.kind === 'm2o')
        this.#toOne(tableOf(relation.one.collection), relation, value, row);
      else if (relation?.kind === 'a2o') this.#any(payload, value, row, found);
      else if (relation === undefined) row[name] = value === null ? null : String(value);
    }
  }

  #toOne(
    target: Table,
    { many, one }: Extract<Relation, { kind: 'm2o' }>,
    value: unknown,
    row: Row,
  ): void {
    if (isPayload(value)) {
      const other = this.#write(target, value, { root: false, intent: 'either', owner: null });
      for (const [index, column] of many.columns.entries()) {
        row[column] = other[one.columns[index] ?? ''] ?? null;
      }
      return;
    }
    if (value !== null) this.#link(target, bareKey(value));
    const parts = value === null ? [] : bareKey(value).split(',');
    const { nullable } = this.#nullable(row, many.collection, many.columns);
    for (const [index, column] of many.columns.entries()) {
      if (value !== null) row[column] = parts[index] ?? null;
      else if (nullable.length === 0 || nullable.includes(column)) row[column] = null;
    }
  }

  #any(payload: Payload, value: unknown, row: Row, found: Row | undefined): void {
    const kind = payload.kind === undefined ? (found?.kind ?? null) : payload.kind;
    if (isPayload(value)) {
      const target = tableOf(String(payload.kind));
      const other = this.#write(target, value, { root: false, intent: 'either', owner: null });
      row.item = other.id ?? null;
      return;
    }
    row.item = value === null ? null : String(value);
    if (kind === null || value === null || this.#permits === null) return;
    this.#link(tableOf(String(kind)), String(value));
  }

  #nullable(_: Row, collection: string, columns: readonly string[]) {
    const fields = this.#collection(tableOf(collection)).fields;
    const key = keyNames(tableOf(collection));
    const nullable = columns.filter(
      (name) => fields.get(name)?.column?.nullable === true && !key.includes(name),
    );
    return { nullable };
  }

  /** Puts a row where it belongs, if it may be. */
  #keep(table: Table, row: Row, action: 'create' | 'update', payload: Payload): void {
    const allowed = this.#permits?.get(permitName(action, table));
    if (allowed?.preset && payload.name === undefined) row.name = allowed.preset;
    if (allowed?.strict && row.name === 'bad' && (allowed.preset || payload.name !== undefined)) {
      refuse('a bad name');
    }
    for (const { column, name } of this.#collection(table).fields.values()) {
      const generated = name === 'id' && column?.identity;
      if (column && !column.nullable && !generated && (row[name] ?? null) === null) {
        refuse(`${table}.${name} is missing`);
      }
    }
    const text = keyText(table, row);
    // A row without a key is known by its mark until the database gives it one.
    if (text === '') row.id = `new ${row.mark}`;
    this.#now(table).set(keyText(table, row), row);
  }

  #list(relation: ToMany, value: unknown, owner: Row, found: Row | undefined): void {
    const child = tableOf(relation.many.collection);
    const { columns } = relation.many;
    const values = relation.one.columns.map((column) => owner[column] ?? null);
    const isMember = (row: Row | undefined) =>
      found !== undefined &&
      row !== undefined &&
      columns.every((column, n) => row[column] !== null && row[column] === values[n]);
    const taken = isPayload(value)
      ? listOf(value.delete).map(bareKey)
      : [...(this.#before.get(child)?.keys() ?? [])];
    for (const key of taken) {
      const row = this.#was(child, key);
      const isClaimed = this.#claimed.has(`${child} ${columns} ${key}`);
      if (!isMember(row) || isClaimed || !this.#sees(child, row)) continue;
      this.#takeOut(relation, child, key);
    }
    this.#sorted(relation, values, elementsOf(value));
    const update = isPayload(value) ? listOf(value.update) : [];
    for (const element of elementsOf(value)) {
      const key = isPayload(element) ? keyIn(child, element) : bareKey(element);
      const row = key === null ? undefined : this.#was(child, key);
      const place = { relation, values, isMember: isMember(row) };
      const form = update.includes(element) ? 'update' : 'create';
      const intent = isPayload(value) ? form : 'either';
      if (isPayload(element)) this.#write(child, element, { root: false, intent, owner: place });
      else this.#named(child, bareKey(element), place);
    }
  }

  /** A row that is named by its key alone. */
  #named(child: Table, key: string, owner: Owner): void {
    if (this.#was(child, key) === undefined) refuse(`no ${child} ${key} to link`);
    const payload = Object.fromEntries(keyNames(child).map((name, n) => [name, key.split(',')[n]]));
    this.#write(child, payload, { root: false, intent: 'update', owner });
  }

  /** Gives new items without a place the next ones behind those that are there. */
  #sorted(relation: ToMany, values: readonly (string | null)[], elements: unknown[]): void {
    const { sortField, many } = relation;
    if (sortField === null) return;
    const child = tableOf(many.collection);
    const members = [...this.#now(child).values()].filter((row) =>
      many.columns.every((column, n) => row[column] === values[n]),
    );
    let highest = Math.max(0, ...members.map((row) => Number(row[sortField] ?? 0)));
    for (const element of elements) {
      if (!isPayload(element) || (element[sortField] ?? null) !== null) continue;
      const key = keyIn(child, element);
      if (key !== null && this.#was(child, key)) continue;
      highest += 1;
      this.#places.set(element, highest);
    }
  }

  readonly #places = new Map<Payload, number>();

  /** The places that were given to new items, by their marks. */
  get places(): ReadonlyMap<unknown, number> {
    return new Map([...this.#places].map(([payload, place]) => [payload.mark, place]));
  }

  #takeOut({ deselect, many }: ToMany, child: Table, key: string): void {
    const row = this.#was(child, key) ?? refuse('nothing to take out');
    if (deselect === 'delete') {
      this.#judge('delete', child, row, []);
      this.#deleted.push([child, key]);
      this.#now(child).delete(key);
      return;
    }
    const { nullable } = this.#nullable(row, many.collection, many.columns);
    if (nullable.length === 0) refuse(`${child} cannot be without owner`);
    this.#judge('update', child, row, nullable);
    const current = { ...this.#row(child, key) };
    for (const column of nullable) current[column] = null;
    this.#keep(child, current, 'update', {});
  }

  readonly #deleted: [Table, string][] = [];

  /** Ends the payload: what was deleted is gone, and everything that is referred to is there. */
  finish(): State {
    for (const [table, key] of this.#deleted) this.#now(table).delete(key);
    for (const [table, rows] of this.after) {
      for (const row of rows.values()) {
        const place = this.places.get(row.mark);
        if (table === 'd' && place !== undefined) row.place = String(place);
      }
    }
    return this.after;
  }
}

/** The key that a payload names. */
function keyIn(table: Table, payload: Payload): string | null {
  const values = keyNames(table).map((name) => payload[name]);
  return values.some((value) => value === undefined || value === null)
    ? null
    : values.map(String).join(',');
}

function withoutOwner(payload: Payload, { manyField, many }: ToMany): Payload {
  const names = [manyField, ...many.columns];
  const entries = Object.entries(payload).filter(([name]) => !names.includes(name));
  return Object.fromEntries(entries);
}

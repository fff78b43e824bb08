/** Random relations between tables: columns that refer, what the metadata records, and reverses. */
import type {
  Column,
  Json,
  ManyToOne,
  Relation,
  RelationRecord,
  Row,
  ScalarType,
  ToMany,
} from '../model.ts';
import type { Dice } from './dice.ts';
import { column, type Draft, type Drafts } from './draft.ts';

/** Keys that no row has. */
const UNRELATED: Readonly<Record<string, Json>> = {
  integer: 4711,
  bigInteger: '4711',
  string: 'gone',
  uuid: 'ffffffff-0000-4000-8000-000000000000',
};

/** A key that no row of the table has. */
export function strangeKey({
  key,
  columns,
}: {
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}): Json[] {
  return key.map((name) => {
    const type = columns.find((entry) => entry.name === name)?.type;
    return UNRELATED[type ?? ''] ?? null;
  });
}

/** The values by which a row refers to one of the target's rows, sometimes to none. */
function reference(dice: Dice, relation: ManyToOne, types: readonly ScalarType[]) {
  return (rows: ReadonlyMap<string, readonly Row[]>): Record<string, Json> => {
    const targets = rows.get(relation.target) ?? [];
    const none = targets.length === 0 || dice.chance(25);
    const dangling = !relation.constrained && dice.chance(15);
    const found = none ? null : dice.pick(targets);
    const value = (index: number): Json => {
      if (dangling) return UNRELATED[types[index] ?? ''] ?? null;
      return found?.[relation.targetColumns[index] ?? ''] ?? null;
    };
    return Object.fromEntries(relation.columns.map((name, index) => [name, value(index)]));
  };
}

interface Pointing {
  readonly from: Draft;
  readonly to: Draft;
  readonly prefix: string;
  readonly constrained: boolean;
}

/** Adds columns that refer to another table. */
function point(drafts: Drafts, { from, to, prefix, constrained }: Pointing): ManyToOne {
  const { dice } = drafts;
  const columns = to.key.map((name) => {
    const type = to.columns.find((entry) => entry.name === name)?.type ?? 'integer';
    return column(dice, to.key.length === 1 ? prefix : `${prefix}_${name}`, type, true);
  });
  from.columns.push(...columns);
  const relation: ManyToOne = {
    kind: 'm2o',
    table: from.name,
    field: columns.length === 1 ? prefix : `fk_${prefix}`,
    columns: columns.map(({ name }) => name),
    target: to.name,
    targetColumns: to.key,
    constrained,
  };
  from.fill.push(
    reference(
      dice,
      relation,
      columns.map(({ type }) => type),
    ),
  );
  drafts.pointers.push(relation);
  return relation;
}

function record(relation: ManyToOne, more: Partial<RelationRecord>): RelationRecord {
  return {
    many_collection: relation.table,
    many_field: relation.field,
    one_collection: relation.target,
    one_field: null,
    one_collection_field: null,
    one_allowed_collections: null,
    junction_field: null,
    sort_field: null,
    ...more,
  };
}

/** A sort column for the children of a relation, sometimes. */
function sortColumn(dice: Dice, table: Draft, name: string): string | null {
  if (!dice.chance(40)) return null;
  table.columns.push(column(dice, name, 'integer', true));
  return name;
}

export function addReference(drafts: Drafts, from: Draft, index: number): void {
  const { dice, tables } = drafts;
  const targets = tables.filter(({ key }) => key.length > 0);
  if (targets.length === 0) return;
  const to = dice.pick(targets);
  const composite = to.key.length > 1;
  const recorded = !composite && dice.chance(65);
  const constrained = composite || !recorded || dice.chance(70);
  const prefix = `${to.name === from.name ? 'self' : 'ref'}${index}`;
  const relation = point(drafts, { from, to, prefix, constrained });
  if (!recorded) return;
  const named = from.key.length > 0 && dice.chance(80);
  const sort_field = named ? sortColumn(dice, from, `${prefix}_sort`) : null;
  const one_field = named ? `many_${from.name}_${prefix}` : null;
  drafts.records.push(record(relation, { one_field, sort_field }));
}

function single(tables: readonly Draft[]): Draft[] {
  return tables.filter(({ key }) => key.length === 1);
}

function junction(drafts: Drafts, name: string): Draft {
  const key = column(drafts.dice, 'id', 'integer', false);
  const table: Draft = { name, columns: [key], key: ['id'], sortField: null, fill: [] };
  drafts.tables.push(table);
  return table;
}

export function addManyToMany(drafts: Drafts, base: readonly Draft[]): void {
  const { dice } = drafts;
  const ends = single(base);
  if (ends.length === 0) return;
  const left = dice.pick(ends);
  const right = dice.pick(ends);
  const table = junction(drafts, 'pairs');
  const constrained = dice.chance(80);
  const a = point(drafts, { from: table, to: left, prefix: 'left_id', constrained });
  const b = point(drafts, { from: table, to: right, prefix: 'right_id', constrained });
  const sort_field = sortColumn(dice, table, 'place');
  const first = { one_field: 'rights', junction_field: 'right_id', sort_field };
  drafts.records.push(record(a, first));
  drafts.records.push(record(b, { one_field: 'lefts', junction_field: 'left_id' }));
}

/** A key and the name of its table; sometimes of a row or a table that is not there. */
function anything(dice: Dice, allowed: readonly string[], keys: ReadonlyMap<string, string>) {
  return (rows: ReadonlyMap<string, readonly Row[]>): Record<string, Json> => {
    const chance = dice.int(1, 100);
    if (chance <= 10) return { item: null, collection: null };
    const name = dice.pick(allowed);
    if (chance <= 15) return { item: 'no key', collection: name };
    if (chance <= 20) return { item: '1', collection: 'elsewhere' };
    const targets = rows.get(name) ?? [];
    if (targets.length === 0) return { item: '4711', collection: name };
    return { item: String(dice.pick(targets)[keys.get(name) ?? '']), collection: name };
  };
}

export function addManyToAny(drafts: Drafts, base: readonly Draft[]): void {
  const { dice } = drafts;
  const ends = single(base);
  if (ends.length === 0) return;
  const parent = dice.pick(ends);
  const allowed = dice.some(ends, 1, 3);
  const table = junction(drafts, 'blocks');
  const owner = point(drafts, { from: table, to: parent, prefix: 'owner_id', constrained: true });
  table.columns.push(column(dice, 'item', dice.chance(50) ? 'string' : 'text', true));
  table.columns.push(column(dice, 'collection', 'string', true));
  const names = allowed.map(({ name }) => name);
  const keys = new Map(allowed.map(({ name, key }) => [name, key[0] ?? '']));
  table.fill.push(anything(dice, names, keys));
  const sort_field = sortColumn(dice, table, 'place');
  drafts.records.push(record(owner, { one_field: 'parts', junction_field: 'item', sort_field }), {
    ...record(owner, {}),
    many_field: 'item',
    one_collection: null,
    one_collection_field: 'collection',
    one_allowed_collections: names.join(','),
  });
  drafts.pointers.push({
    kind: 'a2o',
    table: table.name,
    field: 'item',
    discriminator: 'collection',
    allowed: names,
  });
}

/** The reverse of each m2o: under its recorded name, else under one that follows from the child's. */
export function reverses({ dice, pointers, records }: Drafts): ToMany[] {
  const recordOf = ({ table, field }: Relation) =>
    records.find((entry) => entry.many_collection === table && entry.many_field === field);
  const many = pointers.filter((pointer) => pointer.kind === 'm2o');
  const unnamed = many.filter((pointer) => (recordOf(pointer)?.one_field ?? null) === null);
  return many.map((pointer) => {
    const entry = recordOf(pointer);
    const rivals = unnamed.filter(
      ({ table, target }) => table === pointer.table && target === pointer.target,
    );
    const derivedName = rivals.length > 1 ? `${pointer.table}_by_${pointer.field}` : pointer.table;
    const junctionField = entry?.junction_field ?? null;
    const onward = pointers.find(
      ({ table, field }) => table === pointer.table && field === junctionField,
    );
    return {
      kind: onward === undefined ? 'o2m' : onward.kind === 'a2o' ? 'm2a' : 'm2m',
      table: pointer.target,
      field: entry?.one_field ?? derivedName,
      listed: (entry?.one_field ?? null) !== null && dice.chance(85),
      child: pointer.table,
      childColumns: pointer.columns,
      columns: pointer.targetColumns,
      manyField: pointer.field,
      junctionField,
      sortField: entry?.sort_field ?? null,
    };
  });
}

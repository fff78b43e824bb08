/** Groups of items and what is computed over them. */
import { type Json, type Row, type Table, tableOf } from '../model.ts';
import { callKey } from './call.ts';
import type { Level } from './level.ts';
import { asCall, type Run, typeOf } from './run.ts';
import { callValue, type Sorted, sorted, type Term } from './sort.ts';
import { compare, decimalText, exact, type ValueType } from './value.ts';

/** A number of which only the value is settled, not the spelling. */
export class Approximate {
  /** With nine decimals. */
  readonly value: string;
  readonly asText: boolean;

  constructor(value: string, asText: boolean) {
    this.value = value;
    this.asText = asText;
  }
}

/** An answer in which averages are approximate. */
export type Answer = Json | Approximate | readonly Answer[] | { readonly [key: string]: Answer };

interface Group {
  /** The values that the group's items share, by the entries of `groupBy`. */
  readonly shared: ReadonlyMap<string, Sorted>;
  readonly rows: readonly Row[];
}

function distinct(type: ValueType, values: readonly Json[]): Json[] {
  // Documents have no order; generated ones that are equal are written alike.
  const isSame = (a: Json, b: Json) =>
    type === 'json' ? JSON.stringify(a) === JSON.stringify(b) : compare(type, a, b) === 0;
  const kept: Json[] = [];
  for (const value of values) if (!kept.some((other) => isSame(other, value))) kept.push(value);
  return kept;
}

function sum(type: ValueType, values: readonly Json[]): Json {
  const total = values.reduce<bigint>((before, value) => before + exact(value), 0n);
  if (type === 'float') return Number(decimalText(total, 9));
  return decimalText(total, type === 'decimal' ? 2 : 0);
}

function average(type: ValueType, values: readonly Json[]): Approximate {
  const total = values.reduce<bigint>((before, value) => before + exact(value), 0n);
  return new Approximate(decimalText(total / BigInt(values.length), 9), type !== 'float');
}

function extreme(type: ValueType, values: readonly Json[], sign: number): Json {
  return values.reduce((best, value) => (compare(type, value, best) * sign > 0 ? value : best));
}

function compute(
  run: Run,
  table: Table,
  rows: readonly Row[],
  name: string,
  field: string,
): Answer {
  run.cover(`aggregate ${name}`);
  if (field === '*') return String(rows.length);
  const type = typeOf(table, field);
  const all = rows.flatMap((row) => (row[field] === null ? [] : [row[field] ?? null]));
  run.cover(`aggregate ${name} ${all.length < rows.length ? 'null' : 'value'}`);
  const values = name.endsWith('Distinct') ? distinct(type, all) : all;
  if (name.startsWith('count')) return String(values.length);
  if (values.length === 0) return null;
  if (name.startsWith('sum')) return sum(type, values);
  if (name.startsWith('avg')) return average(type, values);
  return extreme(type, values, name === 'max' ? 1 : -1);
}

/** The value by which items are grouped: of a column, or of a function on one. */
function groupValue(run: Run, table: Table, row: Row, entry: string): Sorted {
  if (asCall(entry) === null) {
    return { value: row[entry] ?? null, type: typeOf(table, entry) };
  }
  run.cover(entry.startsWith('json(') ? 'group by json' : 'group by function');
  return { value: callValue(run, table, row, entry), type: 'number' };
}

function groups(run: Run, table: Table, rows: readonly Row[], level: Level): Group[] {
  if (level.groupBy.length === 0) return [{ shared: new Map(), rows }];
  const found = new Map<string, { shared: Map<string, Sorted>; rows: Row[] }>();
  for (const row of rows) {
    const shared = new Map(
      level.groupBy.map((entry) => [entry, groupValue(run, table, row, entry)]),
    );
    const id = JSON.stringify([...shared.values()].map(({ value }) => value));
    const group = found.get(id) ?? { shared, rows: [] };
    group.rows.push(row);
    found.set(id, group);
  }
  return [...found.values()];
}

/** A function's result in an answer is a text, as the numbers of extract() are. */
export function shown(text: string, value: Json): Json {
  const call = asCall(text);
  if (call === null || call.name === 'json' || value === null) return value;
  return String(value);
}

function show(run: Run, table: Table, group: Group, level: Level): Answer {
  const result: Record<string, Answer> = {};
  for (const [entry, { value }] of group.shared) {
    const call = asCall(entry);
    result[call === null ? entry : callKey(call.name, call.field, call.path)] = shown(entry, value);
  }
  for (const [name, field] of level.aggregate) {
    const value = compute(run, table, group.rows, name, field);
    if (field === '*') {
      result[name] = value;
      continue;
    }
    const inner: Record<string, Answer> = Object.create(null);
    const before = result[name];
    if (typeof before === 'object' && before !== null) Object.assign(inner, before);
    inner[field] = value;
    result[name] = inner;
  }
  return result;
}

/** `count`, `sum.price`, or an entry of `groupBy`. */
function groupTerm(run: Run, table: Table, text: string): Term<Group> {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const [, operation, field] = /^([a-zA-Z]+)(?:\.(.+))?$/.exec(name) ?? [];
  const known = operation !== undefined && /^(count|sum|avg|min|max)/.test(operation);
  if (!known || (field === undefined && !operation.startsWith('count'))) {
    return {
      of: ({ shared }) => shared.get(name) ?? { value: null, type: 'number' },
      descending,
    };
  }
  run.cover('sort by aggregate');
  return {
    of: ({ rows }) => {
      const value = compute(run, table, rows, operation, field ?? '*');
      const extremes = operation === 'min' || operation === 'max';
      const type = extremes && field !== undefined ? typeOf(table, field) : 'number';
      if (value instanceof Approximate) return { value: value.value, type };
      if (Array.isArray(value)) return { value: value.map(String), type };
      return { value: typeof value === 'object' ? null : value, type };
    },
    descending,
  };
}

/** The rows of an answer that aggregates. */
export function aggregated(run: Run, name: string, rows: readonly Row[], level: Level): Answer[] {
  const table = tableOf(run.world, name);
  // What the groups share decides ties.
  const terms = [...level.sort, ...level.groupBy].map((text) => groupTerm(run, table, text));
  const ordered = sorted(groups(run, table, rows, level), terms, level.nested);
  const end = level.limit === null ? undefined : level.offset + level.limit;
  return ordered.slice(level.offset, end).map((group) => show(run, table, group, level));
}

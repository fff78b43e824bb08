/** The order of items. */
import { columnOf, type Json, type Row, relationOf, type Table, tableOf } from '../model.ts';
import { documentPart, momentPart } from './call.ts';
import type { Level } from './level.ts';
import { Refusal } from './refusal.ts';
import { asCall, children, type Run, target, typeOf } from './run.ts';
import { compare, type ValueType } from './value.ts';

/** What is sorted by. */
export interface Sorted {
  readonly value: Json;
  readonly type: ValueType;
}

/** One thing to sort by, of whatever is sorted. */
export interface Term<T> {
  readonly of: (item: T) => Sorted;
  readonly descending: boolean;
}

/** The value of a function on a field of an item, which may be absent. */
export function callValue(run: Run, table: Table, row: Row | null, text: string): Json {
  const call = asCall(text);
  if (call === null) throw new Error(`no call: ${text}`);
  const relation = relationOf(run.world, table.name, call.field);
  if (relation !== undefined && 'child' in relation) {
    run.cover('function count');
    run.cover('function count(items)');
    if (!run.sight.sees(table.name, row, call.field)) return null;
    return children(run, relation, row).length;
  }
  const value = row?.[call.field] ?? null;
  run.cover(`function ${call.name}`);
  if (call.name === 'json') return documentPart(value, call.path);
  if (call.name === 'count') run.cover('function count(json)');
  if (call.name === 'count') return Array.isArray(value) ? value.length : null;
  return momentPart(call.name, value);
}

/** Follows a path from an item to the value at its end. */
function follow(run: Run, table: Table, row: Row | null, path: readonly string[]): Sorted {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    if (asCall(first) !== null) {
      const isPart = first.startsWith('json(');
      run.cover(isPart ? 'sort by json' : 'sort by function');
      return { value: callValue(run, table, row, first), type: isPart ? 'part' : 'number' };
    }
    return { value: row?.[first] ?? null, type: typeOf(table, first) };
  }
  const [field = '', scope = ''] = first.split(':');
  const relation = relationOf(run.world, table.name, field);
  if (relation === undefined || 'child' in relation) throw new Refusal('no path to sort by');
  run.cover(`sort through ${relation.kind}`);
  const name = relation.kind === 'a2o' ? scope : relation.target;
  return follow(run, tableOf(run.world, name), target(run, relation, row, scope), rest);
}

function split(text: string): string[] {
  return text.split(/\.(?![^(]*\))/);
}

/** The terms that a level names. */
export function sortTerms(run: Run, table: Table, level: Level): Term<Row>[] {
  return level.sort.map((text) => {
    const descending = text.startsWith('-');
    const [first = '', ...rest] = split(descending ? text.slice(1) : text);
    const aliased = level.alias.get(first);
    if (aliased !== undefined) run.cover('sort by alias');
    const path = [aliased ?? first, ...rest];
    return { of: (row) => follow(run, table, row, path), descending };
  });
}

/** The order of items that nobody sorted, or that are equal in what they were sorted by. */
export function ownTerms(table: Table, sortField: string | null, sorted: boolean): Term<Row>[] {
  const own = sortField ?? table.sortField;
  const first = table.columns[0]?.name ?? '';
  const unique = table.key.length > 0 ? table.key : [first];
  const names = sorted || own === null ? unique : [own, ...unique];
  const seen = names.filter((name) => columnOf(table, name) !== undefined);
  return seen.map((name) => ({
    of: (row) => ({ value: row[name] ?? null, type: typeOf(table, name) }),
    descending: false,
  }));
}

/** Sorts a copy. At the root nulls count as the largest values; in relations they are last. */
export function sorted<T>(items: readonly T[], terms: readonly Term<T>[], nested: boolean): T[] {
  const order = (a: T, b: T): number => {
    for (const { of, descending } of terms) {
      const left = of(a);
      const right = of(b);
      const direction = descending ? -1 : 1;
      if (left.value === null || right.value === null) {
        if (left.value === right.value) continue;
        const nullLast = left.value === null ? 1 : -1;
        return nested ? nullLast : nullLast * direction;
      }
      const result = compare(left.type, left.value, right.value);
      if (result !== 0) return result * direction;
    }
    return 0;
  };
  return [...items].sort(order);
}

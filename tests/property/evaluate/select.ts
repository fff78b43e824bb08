/** What of an item stands in the answer. */
import {
  columnOf,
  type Relation,
  type Row,
  relationOf,
  relationsOf,
  type Table,
  type ToMany,
  tableOf,
} from '../model.ts';
import { type Answer, aggregated, shown } from './aggregate.ts';
import { callKey } from './call.ts';
import { matches } from './filter.ts';
import { type Level, levelOf } from './level.ts';
import { Refusal } from './refusal.ts';
import { asCall, children, keyOf, type Run, target } from './run.ts';
import { isFound } from './search.ts';
import { callValue, ownTerms, sorted, sortTerms } from './sort.ts';

type Path = readonly string[];

/** The items that are shown, and the relation by which they were reached. */
export interface Frame {
  readonly run: Run;
  readonly table: Table;
  readonly level: Level;
  readonly paths: readonly Path[];
  readonly via: Relation | null;
}

/** Splits at dots outside parentheses; `year(a.b)` is `a.year(b)`. */
export function pathOf(text: string): Path {
  const [, name, inner, rest = ''] = /^([a-z]+)\(([^,()]*\.[^,()]*)(,.*)?\)$/.exec(text) ?? [];
  if (name === undefined || inner === undefined) return text.split(/\.(?![^(]*\))/);
  const path = inner.split('.');
  const last = path.pop() ?? '';
  return [...path, `${name}(${last}${rest})`];
}

/** The two relations are the two directions of one. */
export function isReverse(a: Relation, b: Relation): boolean {
  if (b.kind === 'm2o' && 'child' in a) return a.child === b.table && a.manyField === b.field;
  if (a.kind === 'm2o' && 'child' in b) return b.child === a.table && b.manyField === a.field;
  return false;
}

/** Something of the items behind the relation may be seen. */
function isReachable({ world }: Run, relation: Relation): boolean {
  const ends = 'child' in relation ? [relation.child] : endsOf(relation);
  return ends.some((name) => world.tables.some((table) => table.name === name));
}

function endsOf(relation: Exclude<Relation, ToMany>): readonly string[] {
  return relation.kind === 'm2o' ? [relation.target] : relation.allowed;
}

/** Whether a wildcard goes on over the relation. */
function goesOn({ run, via }: Frame, relation: Relation): boolean {
  if (!isReachable(run, relation)) return false;
  const back = via !== null && isReverse(via, relation);
  if (back) run.cover(`backlink ${run.backlink}`);
  return run.backlink || !back;
}

function expand(frame: Frame, path: Path): Path[] {
  const [first, ...rest] = path;
  if (first !== '*') return [path];
  const { run, table, level } = frame;
  run.cover(rest.length === 0 ? 'fields *' : `fields *.* ${rest.length}`);
  const lists = relationsOf(run.world, table.name).filter(
    (relation) => 'child' in relation && relation.listed && isReachable(run, relation),
  );
  const names = [
    ...table.columns.map(({ name }) => name),
    ...lists.map(({ field }) => field),
    ...level.alias.keys(),
  ];
  if (rest.length === 0) return names.map((name) => [name]);
  return names.map((name) => {
    const further = relationOf(run.world, table.name, level.alias.get(name) ?? name);
    return further !== undefined && goesOn(frame, further) ? [name, ...rest] : [name];
  });
}

/** Paths by their first segment, each without it; an empty one asks for the field itself. */
function grouped(paths: readonly Path[]): Map<string, Path[]> {
  const groups = new Map<string, Path[]>();
  for (const [first = '', ...rest] of paths) {
    const group = groups.get(first) ?? [];
    group.push(rest);
    groups.set(first, group);
  }
  return groups;
}

/**
 * What is asked of the items behind a field. A wildcard passes over what nothing may be seen of,
 * whatever `deep` says of it.
 * @param paths all that is selected beside it
 */
export function levelBelow(
  { run, table, level }: Pick<Frame, 'run' | 'table' | 'level'>,
  name: string,
  paths: readonly Path[],
): Level {
  const relation = relationOf(run.world, table.name, level.alias.get(name) ?? name);
  const isNamed = level.alias.has(name) || paths.some(([first]) => first === name);
  const passedOver = relation !== undefined && !isNamed && !isReachable(run, relation);
  return levelOf(run, (passedOver ? undefined : level.deep.get(name)) ?? {}, '_');
}

function below(frame: Frame, name: string): Level {
  return levelBelow(frame, name, frame.paths);
}

function relatedTable(run: Run, relation: Relation, scope: string): Table {
  if ('child' in relation) return tableOf(run.world, relation.child);
  return tableOf(run.world, relation.kind === 'a2o' ? scope : relation.target);
}

/** The answer for one related item, or null when the level's filter leaves it out. */
function single(frame: Frame, row: Row | null): Answer {
  const { run, table, level } = frame;
  if (row === null) return null;
  const place = { run, table, row, via: 'own' as const, junctionField: null };
  if (!matches(place, level.filter)) return null;
  return showItem(frame, row);
}

/** A field of any kind of relation, with what is asked of the items behind it. */
function related(frame: Frame, relation: Relation, row: Row, name: string, paths: Path[]): Answer {
  const { run } = frame;
  const [label = '', scope = ''] = name.split(':');
  const nested = paths.filter((path) => path.length > 0);
  const level = below(frame, name);
  if ('child' in relation) {
    run.cover(`select ${relation.kind}${nested.length === 0 ? ' keys' : ''}`);
    if (frame.level.alias.has(label)) run.cover(`alias of ${relation.kind}`);
    return toMany(frame, relation, row, level, nested);
  }
  run.cover(`select ${relation.kind} ${scope === '' ? 'unscoped' : 'scoped'}`);
  if (frame.level.alias.has(label)) run.cover(`alias of ${relation.kind}`);
  const table = relatedTable(run, relation, scope);
  const inner = {
    run,
    table,
    level,
    paths: [...nested, ...level.fields.map(pathOf)],
    via: relation,
  };
  return single(inner, target(run, relation, row, scope));
}

function toMany(frame: Frame, relation: ToMany, row: Row, level: Level, nested: Path[]): Answer {
  const { run } = frame;
  if (!run.sight.sees(relation.table, row, relation.field)) return null;
  const table = tableOf(run.world, relation.child);
  const paths = [...nested, ...level.fields.map(pathOf)];
  const inner: Frame = { run, table, level, paths, via: relation };
  const found = children(run, relation, row);
  if (isAggregate(level)) return aggregated(run, table.name, chosen(inner, found), level);
  const keyless = table.key.length === 0 || table.key.some((key) => !columnOf(table, key));
  if (paths.length === 0 && keyless) return [];
  const shownRows = page(inner, found, relation.sortField);
  if (paths.length > 0) return shownRows.map((child) => showItem(inner, child));
  return shownRows.map((child) => keyOf(table, child));
}

export function isAggregate(level: Level): boolean {
  return level.aggregate.length > 0 || level.groupBy.length > 0;
}

/** The rows that the level's filter and search leave. */
export function chosen({ run, table, level }: Frame, rows: readonly Row[]): Row[] {
  if (level.search !== null) run.cover(level.nested ? 'search nested' : 'search');
  return rows.filter((row) => {
    const place = { run, table, row, via: 'own' as const, junctionField: null };
    return (
      matches(place, level.filter) && (level.search === null || isFound(table, row, level.search))
    );
  });
}

/** The rows of one page, in order. */
export function page(frame: Frame, rows: readonly Row[], sortField: string | null): Row[] {
  const { run, table, level } = frame;
  const asked = sortTerms(run, table, level);
  const terms = [...asked, ...ownTerms(table, sortField, asked.length > 0)];
  const end = level.limit === null ? undefined : level.offset + level.limit;
  return sorted(chosen(frame, rows), terms, level.nested).slice(level.offset, end);
}

/** The field of an any-to-one: what is asked for the collection that the row names. */
function anyToOne(frame: Frame, row: Row, field: string, groups: Map<string, Path[]>): Answer {
  const { run, table } = frame;
  const name = frame.level.alias.get(field) ?? field;
  const relation = relationOf(run.world, table.name, name);
  if (relation?.kind !== 'a2o') throw new Error(`${field} is no any-to-one`);
  const own = groups.get(field) ?? [];
  if (!run.sight.sees(table.name, row, name)) return null;
  const stored = run.sight.raw(row);
  const scope = String(stored[relation.discriminator]);
  const asked = [...own, ...(groups.get(`${field}:${scope}`) ?? [])];
  const nested = asked.filter((path) => path.length > 0);
  const groupsBehind = [...groups].filter(([key]) => key.startsWith(`${field}:`) || key === field);
  if (groupsBehind.every(([, paths]) => paths.every((path) => path.length === 0))) {
    run.cover('select a2o key');
    return stored[relation.field] ?? null;
  }
  // Nothing was asked of items of this row's collection, or it may not be referred to at all.
  const isVisible = run.world.tables.some((entry) => entry.name === scope);
  if (!relation.allowed.includes(scope) || !isVisible) return null;
  if (nested.length === 0) {
    run.cover('select a2o of another scope');
    return stored[relation.field] ?? null;
  }
  return related(frame, relation, row, `${field}:${scope}`, nested);
}

function call(frame: Frame, row: Row, output: string | null, text: string): [string, Answer] {
  const { name, field, path } = asCall(text) ?? { name: '', field: '', path: '' };
  const value = callValue(frame.run, frame.table, row, text);
  return [output ?? callKey(name, field, path), shown(text, value)];
}

function member(frame: Frame, row: Row, name: string, paths: Path[]): [string, Answer] {
  const { run, table, level } = frame;
  const aliased = level.alias.get(name);
  const field = aliased ?? name;
  if (aliased !== undefined) run.cover(level.nested ? 'alias inside deep' : 'alias');
  if (asCall(field) !== null) return call(frame, row, aliased === undefined ? null : name, field);
  const relation = relationOf(run.world, table.name, field);
  const plain = paths.every((path) => path.length === 0) && below(frame, name).fields.length === 0;
  if (relation !== undefined && ('child' in relation || !plain)) {
    return [name, related(frame, relation, row, name, paths)];
  }
  const column = columnOf(table, field);
  if (column === undefined && relation?.kind === 'm2o') {
    run.cover('select m2o key of several columns');
    const values = relation.columns.map((part) => row[part] ?? null);
    return [name, values.includes(null) ? null : values];
  }
  if (column === undefined) throw new Refusal(`no field ${field}`);
  run.cover(`output ${column.type} ${row[field] === null ? 'null' : 'value'}`);
  return [name, row[field] ?? null];
}

/** One item as the frame's paths ask for it. */
export function showItem(frame: Frame, row: Row): Answer {
  const groups = grouped(frame.paths.flatMap((path) => expand(frame, path)));
  const result: Record<string, Answer> = {};
  for (const [segment, paths] of groups) {
    const [name = ''] = segment.includes('(') ? [segment] : segment.split(':');
    const field = frame.level.alias.get(name) ?? name;
    const relation = relationOf(frame.run.world, frame.table.name, field);
    const [key, value] =
      relation?.kind === 'a2o'
        ? [name, anyToOne(frame, row, name, groups)]
        : member(frame, row, segment, paths);
    result[key] = value;
  }
  return result;
}

/**
 * Whether a person may ask a question at all: every name in it has to be one that the person may
 * see. Looks at the question alone, so that it does not matter which rows there are.
 */
import type { Level } from '../evaluate/level.ts';
import { Refusal } from '../evaluate/refusal.ts';
import { asCall, entries, type Run } from '../evaluate/run.ts';
import { isAggregate, isReverse, levelBelow, pathOf } from '../evaluate/select.ts';
import {
  CONCEALED,
  columnOf,
  type Json,
  type Relation,
  relationOf,
  relationsOf,
  type Table,
  type ToMany,
} from '../model.ts';

type Path = readonly string[];

/** Hears of every name that a question has, by the clause that it stands in; `*` is all fields. */
export type Witness = (clause: string, table: string, field: string | null) => void;

interface Permit {
  /** The world as the person sees it. */
  readonly run: Run;
  readonly witness: Witness;
}

interface Spot {
  readonly permit: Permit;
  readonly table: Table;
  readonly level: Level;
  /** What is selected. */
  readonly paths: readonly Path[];
  readonly via: Relation | null;
}

function enter(permit: Permit, name: string): Table {
  const table = permit.run.world.tables.find((entry) => entry.name === name);
  if (table === undefined) throw new Refusal(`no collection ${name}`);
  return table;
}

function clauseOf(spot: Spot, clause: string): string {
  return spot.level.nested ? `deep ${clause}` : clause;
}

function see(permit: Permit, table: Table, field: string, clause: string): void {
  permit.witness(clause, table.name, field);
  if (columnOf(table, field) === undefined) throw new Refusal(`no field ${field}`);
}

function call(permit: Permit, table: Table, text: string, clause: string): void {
  const found = asCall(text);
  if (found === null) throw new Error(`${text} is no call`);
  permit.witness('function', table.name, found.field);
  const relation = relationOf(permit.run.world, table.name, found.field);
  if (relation !== undefined && 'child' in relation) {
    permit.witness(clause, relation.child, null);
    enter(permit, relation.child);
  } else open(permit, table, found.field, clause);
}

/** The operators of a value, or the members of what lies behind a relation. */
function value(json: Json): [string, Json][] {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? entries(json)
    : [['_eq', json]];
}

function listOf(json: Json): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** Conditions on related items; operators that stand on the list judge their key. */
function many(permit: Permit, table: Table, filter: Json, clause: string): void {
  for (const [key, entry] of value(filter)) {
    if (key === '_and' || key === '_or') {
      for (const part of listOf(entry)) many(permit, table, part, clause);
    } else if (key === '_some' || key === '_none') {
      filtered(permit, table, entry, clause);
    } else if (key.startsWith('_') && !/^_n?null$/.test(key)) {
      see(permit, table, table.key[0] ?? '', clause);
    } else if (!key.startsWith('_')) {
      filtered(permit, table, { [key]: entry }, clause);
    }
  }
}

function isOnValue(filter: Json): boolean {
  return value(filter).every(([key, entry]) =>
    key === '_and' || key === '_or' ? listOf(entry).every(isOnValue) : key.startsWith('_'),
  );
}

/** Asks only whether there is a value. */
function isPresence(filter: Json): boolean {
  return value(filter).every(([key, entry]) =>
    key === '_and' || key === '_or'
      ? listOf(entry).every(isPresence)
      : /^_n?(null|empty)$/.test(key),
  );
}

function onField(permit: Permit, table: Table, key: string, filter: Json, clause: string): void {
  const [field = '', scope = ''] = key.split(':');
  const relation = relationOf(permit.run.world, table.name, field);
  permit.witness(clause, table.name, field);
  if (relation === undefined || (columnOf(table, key) !== undefined && isOnValue(filter))) {
    see(permit, table, key, clause);
    if (CONCEALED.has(columnOf(table, key)?.type ?? '') && !isPresence(filter)) {
      throw new Refusal(`${key} is concealed`);
    }
    return;
  }
  const name =
    'child' in relation ? relation.child : relation.kind === 'm2o' ? relation.target : scope;
  permit.witness(clause, name, null);
  const target = enter(permit, name);
  if ('child' in relation) many(permit, target, filter, clause);
  else filtered(permit, target, filter, clause);
}

function filtered(permit: Permit, table: Table, filter: Json, clause: string): void {
  for (const [key, entry] of entries(filter)) {
    if (key === '_and' || key === '_or') {
      for (const part of listOf(entry)) filtered(permit, table, part, clause);
    } else if (asCall(key) !== null) call(permit, table, key, clause);
    else onField(permit, table, key, entry, clause);
  }
}

function open(permit: Permit, table: Table, field: string, clause: string): void {
  see(permit, table, field, clause);
  if (CONCEALED.has(columnOf(table, field)?.type ?? '')) throw new Refusal(`${field} is concealed`);
}

function sorting({ permit, table, level }: Spot, clause: string): void {
  for (const text of level.sort) {
    const [head = '', ...rest] = pathOf(text.replace(/^-/, ''));
    const path = [level.alias.get(head) ?? head, ...rest];
    let current = table;
    for (const segment of path.slice(0, -1)) {
      const [field = '', scope = ''] = segment.split(':');
      permit.witness(clause, current.name, field);
      const relation = relationOf(permit.run.world, current.name, field);
      if (relation === undefined || 'child' in relation) throw new Refusal(`no path ${text}`);
      const name = relation.kind === 'm2o' ? relation.target : scope;
      permit.witness(clause, name, null);
      current = enter(permit, name);
    }
    const last = path.at(-1) ?? '';
    if (asCall(last) !== null) call(permit, current, last, clause);
    else open(permit, current, last, clause);
  }
}

function grouping(spot: Spot): void {
  const { permit, table, level } = spot;
  for (const [name, field] of level.aggregate) {
    if (field === '*') permit.witness(clauseOf(spot, 'aggregate'), table.name, null);
    else if (name === 'count') see(permit, table, field, clauseOf(spot, 'aggregate'));
    else open(permit, table, field, clauseOf(spot, 'aggregate'));
  }
  for (const entry of level.groupBy) {
    if (asCall(entry) !== null) call(permit, table, entry, clauseOf(spot, 'groupBy'));
    else open(permit, table, entry, clauseOf(spot, 'groupBy'));
  }
}

/** What is asked of one level, below which more levels may lie. */
export function permitLevel(spot: Spot): void {
  const { permit, table, level, paths } = spot;
  filtered(permit, table, level.filter, clauseOf(spot, 'filter'));
  if (level.search !== null) {
    permit.witness('search', table.name, '*');
  }
  if (isAggregate(level)) {
    grouping(spot);
    return;
  }
  sorting(spot, clauseOf(spot, 'sort'));
  const groups = new Map<string, Path[]>();
  for (const path of paths.flatMap((entry) => expand(spot, entry))) {
    const [head = '', ...rest] = path;
    groups.set(head, [...(groups.get(head) ?? []), rest]);
  }
  for (const [head, rests] of groups) selected(spot, head, rests, groups);
}

function expand({ permit, table, level, via }: Spot, path: Path): Path[] {
  const [first, ...rest] = path;
  if (first !== '*') return [path];
  const { run, witness } = permit;
  witness('wildcard', table.name, '*');
  const visible = (name: string) => run.world.tables.some((entry) => entry.name === name);
  const ends = (relation: Relation) =>
    'child' in relation
      ? [relation.child]
      : relation.kind === 'm2o'
        ? [relation.target]
        : relation.allowed;
  for (const relation of relationsOf(run.world, table.name)) {
    for (const end of rest.length > 0 ? ends(relation) : []) witness('wildcard', end, null);
  }
  const lists = relationsOf(run.world, table.name).filter(
    (relation) => 'child' in relation && relation.listed && visible(relation.child),
  );
  const names = [...table.columns.map(({ name }) => name), ...lists.map(({ field }) => field)];
  return [...names, ...level.alias.keys()].map((name) => {
    const relation = relationOf(run.world, table.name, level.alias.get(name) ?? name);
    const onward =
      relation !== undefined &&
      ends(relation).some(visible) &&
      (run.backlink || via === null || !isReverse(via, relation));
    return onward && rest.length > 0 ? [name, ...rest] : [name];
  });
}

function selected(
  spot: Spot,
  head: string,
  rests: readonly Path[],
  groups: ReadonlyMap<string, readonly Path[]>,
): void {
  const { permit, table, level } = spot;
  const [name = ''] = head.includes('(') ? [head] : head.split(':');
  const clause = level.alias.has(name) ? 'alias' : clauseOf(spot, 'fields');
  const field = level.alias.get(name) ?? name;
  if (asCall(field) !== null) {
    call(permit, table, field, clause);
    return;
  }
  permit.witness(clause, table.name, field);
  const relation = relationOf(permit.run.world, table.name, field);
  if (relation === undefined) {
    if (rests.some((path) => path.length > 0)) throw new Refusal(`no relation ${field}`);
    see(permit, table, field, clause);
    return;
  }
  if (relation.kind === 'a2o') {
    anyToOne(spot, name, groups, relation.allowed);
    return;
  }
  if ('child' in relation) {
    toMany(spot, relation, name, rests);
    return;
  }
  const below = belowOf(spot, name);
  const paths = [...rests.filter((path) => path.length > 0), ...below.fields.map(pathOf)];
  // Its own key, if the key was asked for first, is a value of several columns; what is shaped by
  // `deep` never is a key.
  const isShaped = below.fields.length > 0 || isAggregate(below);
  if (!isShaped && rests[0]?.length === 0 && columnOf(table, field) === undefined) {
    for (const column of relation.columns) see(permit, table, column, clause);
  }
  if (paths.length > 0) {
    permit.witness(clause, relation.target, null);
    const target = enter(permit, relation.target);
    // Of one item only what is selected and whether it fits can be asked.
    const single = { ...below, sort: [], aggregate: [], groupBy: [] };
    permitLevel({ permit, table: target, level: single, paths, via: relation });
    return;
  }
  for (const column of relation.columns) see(permit, table, column, clause);
}

function belowOf({ permit, table, level, paths }: Spot, name: string): Level {
  return levelBelow({ run: permit.run, table, level }, name, paths);
}

function toMany(spot: Spot, relation: ToMany, name: string, rests: readonly Path[]): void {
  const { permit } = spot;
  permit.witness(clauseOf(spot, 'fields'), relation.child, null);
  const child = enter(permit, relation.child);
  const below = belowOf(spot, name);
  const paths = [...rests.filter((path) => path.length > 0), ...below.fields.map(pathOf)];
  const keyed = child.key.every((key) => columnOf(child, key) !== undefined);
  // Keys that may not be seen are an empty list, whatever is asked of it.
  if (paths.length === 0 && !isAggregate(below) && (!keyed || child.key.length === 0)) return;
  permitLevel({ permit, table: child, level: below, paths, via: relation });
}

function anyToOne(
  spot: Spot,
  name: string,
  groups: ReadonlyMap<string, readonly Path[]>,
  allowed: readonly string[],
): void {
  const { permit, table, level } = spot;
  const scopes = [...groups.keys()].filter((key) => key.startsWith(`${name}:`));
  for (const key of scopes) {
    if (!allowed.includes(key.slice(name.length + 1))) throw new Refusal(`no scope ${key}`);
  }
  const own = groups.get(name) ?? [];
  if (
    [name, ...scopes].every((key) => (groups.get(key) ?? []).every(({ length }) => length === 0))
  ) {
    see(permit, table, level.alias.get(name) ?? name, 'fields');
    return;
  }
  for (const scope of allowed) {
    permit.witness('fields', scope, null);
    const target = permit.run.world.tables.find((entry) => entry.name === scope);
    const all = [...own, ...(groups.get(`${name}:${scope}`) ?? [])];
    const paths = all.filter((path) => path.length > 0);
    if (target === undefined || paths.length === 0) continue;
    const below = belowOf(spot, `${name}:${scope}`);
    permitLevel({ permit, table: target, level: below, paths, via: null });
  }
}

/** Random queries over a world. */
import {
  CONCEALED,
  type Json,
  relationsOf,
  type Table,
  tableOf,
  UNORDERED,
  type World,
} from '../model.ts';
import { calls, condition, sizeCalls, sortPath } from './condition.ts';
import type { Dice } from './dice.ts';
import { DOCUMENT_PATHS } from './values.ts';

interface Source {
  readonly dice: Dice;
  readonly world: World;
  readonly depth: number;
}

type Members = Record<string, Json>;

/** What is selected of one level: paths, further names, and members of `deep` by their fields. */
interface Selection {
  readonly fields: string[];
  readonly alias: Record<string, string>;
  readonly deep: Record<string, Members>;
  /** The relations that were selected, by the names they go by. */
  readonly names: Set<string>;
}

const SEARCHES = ['a', 'A', 'b%', '_', '\\', '10', '2.5', '-3', '012', 'mid', 'zzz', "o'K"];

function wildcard({ dice, depth }: Source): string {
  if (depth >= 2 && dice.chance(12)) return '*.*.*';
  return depth >= 1 && dice.chance(30) ? '*.*' : '*';
}

/** Members of a level that choose and order its items. */
function choosing(source: Source, table: Table, alias: Readonly<Record<string, string>>): Members {
  const { dice, world } = source;
  const members: Members = {};
  if (dice.chance(40)) {
    const depth = Math.min(source.depth, 2);
    members.filter = condition({ dice, world, depth, exact: true }, table);
  }
  if (dice.chance(8)) members.search = searchTerm(dice, table);
  if (dice.chance(45)) members.sort = sorting(source, table, alias);
  if (dice.chance(35)) members.limit = dice.pick([-1, 0, 1, 2, 3, 5, 5]);
  if (dice.chance(15)) members.offset = dice.int(0, 3);
  if (dice.chance(15)) members.page = dice.int(0, 3);
  return members;
}

function searchTerm(dice: Dice, table: Table): string {
  const values = table.rows.flatMap((row) => Object.values(row));
  const texts = values.filter((value) => typeof value === 'string' && value.trim() !== '');
  const fits = texts.filter((value) => typeof value === 'string' && value.length < 40);
  return fits.length > 0 && dice.chance(40) ? String(dice.pick(fits)) : dice.pick(SEARCHES);
}

function sorting(source: Source, table: Table, alias: Readonly<Record<string, string>>): Json {
  const { dice, world } = source;
  const own = Object.entries(alias)
    .filter(([, field]) =>
      table.columns.some(({ name, type }) => name === field && !UNORDERED.has(type)),
    )
    .map(([name]) => name);
  const terms = Array.from({ length: dice.int(1, 2) }, () => {
    const path =
      own.length > 0 && dice.chance(50) ? dice.pick(own) : sortPath(dice, world, table, 2);
    return `${dice.chance(50) ? '-' : ''}${path}`;
  });
  // Where the first column is hidden, the next one may be a document.
  const first = table.columns.find(({ type }) => !UNORDERED.has(type))?.name;
  return table.key.length === 0 && first !== undefined ? [...terms, first] : terms;
}

const EXTREME: ReadonlySet<string> = new Set([
  ...['integer', 'bigInteger', 'decimal', 'float', 'date', 'time', 'dateTime', 'timestamp'],
  ...['string', 'text', 'enum', 'csv'],
]);
const SUMMED: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'decimal', 'float']);

function aggregateMembers(dice: Dice, table: Table): Record<string, Json> {
  const columns = table.columns.filter(({ type }) => type !== 'json');
  const open = columns.filter(({ type }) => !CONCEALED.has(type));
  const names = (types: ReadonlySet<string>) =>
    columns.filter(({ type }) => types.has(type)).map(({ name }) => name);
  const summed = names(SUMMED);
  const options: [string, readonly string[]][] = [
    ['count', ['*', ...columns.map(({ name }) => name)]],
    ['countDistinct', open.map(({ name }) => name)],
    ['countAll', ['*']],
    ['sum', summed],
    ['sumDistinct', summed],
    ['avg', summed],
    ['avgDistinct', summed],
    ['min', names(EXTREME)],
    ['max', names(EXTREME)],
  ];
  const chosen = dice.some(
    options.filter(([, fields]) => fields.length > 0),
    1,
    3,
  );
  return Object.fromEntries(chosen.map(([name, fields]) => [name, aggregated(dice, fields)]));
}

/** One or two fields, or all rows. */
function aggregated(dice: Dice, fields: readonly string[]): Json {
  const some = dice.some(fields, 1, 2);
  return some.includes('*') ? ['*'] : some;
}

/** Aggregates, over groups or over all rows. */
function grouping({ dice, world }: Source, table: Table): Members {
  const aggregate = aggregateMembers(dice, table);
  if (dice.chance(30)) return { aggregate };
  const functions = calls(world, table).filter((text) => !text.startsWith('count'));
  const columns = table.columns.filter(({ type }) => !UNORDERED.has(type)).map(({ name }) => name);
  const groupBy = [
    ...dice.some(columns, functions.length > 0 ? 0 : 1, 2),
    ...dice.some([...functions, ...sizeCalls(table)], 0, 1),
  ];
  if (groupBy.length === 0) groupBy.push(dice.pick(columns));
  const members: Members = dice.chance(90) ? { aggregate, groupBy } : { groupBy };
  const sums = Object.entries(members.aggregate ?? {}).flatMap(([name, fields]) =>
    Array.isArray(fields)
      ? fields.map((field) => (field === '*' ? name : `${name}.${String(field)}`))
      : [],
  );
  const sign = () => (dice.chance(50) ? '-' : '');
  if (dice.chance(60)) {
    members.sort = dice.some([...sums, ...groupBy], 1, 2).map((term) => sign() + term);
  }
  return members;
}

function prefixed(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      `_${name === 'groupBy' ? 'group' : name}`,
      value,
    ]),
  );
}

/** What is asked of related items: the paths behind the field and the field's part of `deep`. */
function behind(source: Source, table: Table, many: boolean): { paths: string[]; deep: Members } {
  const { dice } = source;
  const below: Source = { ...source, depth: source.depth - 1 };
  if (many && dice.chance(7)) {
    const paging: Members = dice.chance(30) ? { limit: 3 } : {};
    return { paths: ['*'], deep: prefixed({ ...grouping(source, table), ...paging }) };
  }
  const { fields, alias, deep } = selection(below, table);
  const own: Members = many ? choosing(below, table, alias) : {};
  if (!many && dice.chance(30)) own.filter = condition({ ...below, depth: 1 }, table);
  const members: Members = { ...prefixed(own), ...deep };
  if (Object.keys(alias).length > 0) members._alias = alias;
  if (!dice.chance(8)) return { paths: fields, deep: members };
  return { paths: ['*'], deep: { ...members, _fields: fields } };
}

function addRelation(source: Source, table: Table, into: Selection): void {
  const { dice, world } = source;
  const candidates = relationsOf(world, table.name);
  const junctions = candidates.filter(({ kind }) => kind !== 'm2o' && kind !== 'o2m');
  if (candidates.length === 0) return;
  const relation = dice.pick(junctions.length > 0 && dice.chance(40) ? junctions : candidates);
  const aliased = dice.chance(30);
  const name = aliased ? `alias${Object.keys(into.alias).length}` : relation.field;
  // Asked twice, the later would take away what the earlier put under `deep`.
  if (into.names.has(name)) return;
  into.names.add(name);
  if (aliased) into.alias[name] = relation.field;
  if (relation.kind === 'a2o') {
    if (dice.chance(25)) into.fields.push(name);
    if (dice.chance(25)) into.fields.push(`${name}.*`);
    // Every collection that may be referred to has this key.
    if (dice.chance(15)) into.fields.push(`${name}.id`);
    for (const scope of dice.some(relation.allowed, 0, 2)) {
      const { paths, deep } = behind(source, tableOf(world, scope), false);
      const { _fields: _, ...members } = deep;
      into.fields.push(...paths.map((path) => `${name}:${scope}.${path}`));
      if (Object.keys(members).length > 0) into.deep[`${name}:${scope}`] = members;
    }
    return;
  }
  const many = 'child' in relation;
  const to = tableOf(world, many ? relation.child : relation.target);
  if (to.key.length > 0 && dice.chance(20)) {
    into.fields.push(name);
    if (many && dice.chance(50)) into.deep[name] = prefixed(choosing(source, to, {}));
    return;
  }
  const { paths, deep } = behind(source, to, many);
  into.fields.push(...paths.map((path) => `${name}.${path}`));
  if (Object.keys(deep).length > 0) into.deep[name] = deep;
}

function selection(source: Source, table: Table): Selection {
  const { dice, world, depth } = source;
  const into: Selection = { fields: [], alias: {}, deep: {}, names: new Set() };
  if (dice.chance(40)) into.fields.push(wildcard(source));
  const names = table.columns.map(({ name }) => name);
  into.fields.push(...dice.some(names, 0, 3));
  const functions = calls(world, table);
  if (dice.chance(25)) into.fields.push(...dice.some(functions, 0, 2));
  const documents = table.columns.filter(
    ({ type, shape }) => type === 'json' && shape === 'object',
  );
  if (documents.length > 0 && dice.chance(30)) {
    const call = `json(${dice.pick(documents).name}, ${dice.pick(DOCUMENT_PATHS)})`;
    if (dice.chance(50)) into.fields.push(call);
    else {
      into.alias.part = call;
      into.fields.push('part');
    }
  }
  if (dice.chance(20)) {
    into.alias.other = dice.pick(names);
    if (dice.chance(80)) into.fields.push('other');
  }
  const count = depth > 0 ? dice.pick([0, 1, 1, 2]) : 0;
  for (let index = 0; index < count; index += 1) addRelation(source, table, into);
  if (into.fields.length === 0) into.fields.push(dice.pick(names));
  return into;
}

/** The parameters of a query that shows items of the table. */
export function generateSelection(dice: Dice, world: World, table: Table): Members {
  const source: Source = { dice, world, depth: 3 };
  const { fields, alias, deep } = selection(source, table);
  const query: Members = choosing(source, table, alias);
  if (!dice.chance(5)) query.fields = fields;
  if (Object.keys(alias).length > 0) query.alias = alias;
  if (Object.keys(deep).length > 0) query.deep = deep;
  if (dice.chance(15)) query.backlink = false;
  return query;
}

/** The parameters of a query over the table. */
export function generateQuery(dice: Dice, world: World, table: Table): Members {
  const source: Source = { dice, world, depth: 3 };
  const meta: Members = dice.chance(15)
    ? { meta: dice.pick([['*'], ['total_count'], ['filter_count']]) }
    : {};
  if (dice.chance(14)) {
    const narrow: Members = dice.chance(40)
      ? { filter: condition({ ...source, depth: 2 }, table) }
      : {};
    const groups = grouping(source, table);
    const paging: Members =
      'groupBy' in groups && dice.chance(30) ? { limit: 3, offset: dice.int(0, 2) } : {};
    return { ...groups, ...narrow, ...paging, ...meta };
  }
  return { ...generateSelection(dice, world, table), ...meta };
}

/** Which cases the questions of a run have met, so that none can be missing unseen. */
import { OPERATORS } from './generate/operand.ts';

const VIAS = ['own', 'm2o', 'o2m', 'm2m', 'm2a'];
const LISTS = ['o2m', 'm2m', 'm2a'];
const STATES = ['value', 'null'];
const DATE_PARTS = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'];
const AGGREGATES = ['sum', 'sumDistinct', 'avg', 'avgDistinct', 'min', 'max', 'countDistinct'];
const MEMBERS = ['filter', 'search', 'sort', 'limit', 'offset', 'page', 'fields', 'alias'];

/** A table of cases: every row with every column. */
interface Grid {
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** The name under which the evaluator counts a case. */
  readonly cell: (row: string, column: string) => string;
}

function list(title: string, rows: readonly string[]): Grid {
  return { title, rows, columns: ['met'], cell: (row) => row };
}

function named(prefix: string, names: readonly string[]): string[] {
  return names.map((name) => `${prefix} ${name}`);
}

const GRIDS: readonly Grid[] = [
  {
    title: 'operator by relation and stored value',
    rows: [...new Set(Object.values(OPERATORS).flat())].sort().concat('_json'),
    columns: VIAS.flatMap((via) => STATES.map((state) => `${via} ${state}`)),
    cell: (operator, column) =>
      operator === '_json' ? `_json ${column}` : `operator ${operator} ${column}`,
  },
  {
    title: 'operator by type',
    rows: Object.entries(OPERATORS).flatMap(([type, names]) => named(type, names)),
    columns: ['met'],
    cell: (row) => `type ${row}`,
  },
  {
    title: 'variable by operator and whether it has a value',
    rows: ['$CURRENT_USER _eq', '$CURRENT_USER _neq', '$CURRENT_ROLE _eq', '$CURRENT_ROLE _neq']
      .concat(named('$CURRENT_USER', ['_in', '_nin']))
      .concat(named('$CURRENT_ROLES', ['_in', '_nin']))
      .concat(named('$CURRENT_POLICIES', ['_in', '_nin'])),
    columns: ['with', 'without'],
    cell: (row, column) => `variable ${row} ${column} value`,
  },
  list(
    '$NOW by operator',
    ['_eq', '_neq', '_lt', '_lte', '_gt', '_gte', '_in', '_nin', '_between', '_nbetween'].map(
      (operator) => `variable $NOW ${operator} with value`,
    ),
  ),
  {
    title: 'lists of related items',
    rows: [
      '_some',
      '_none',
      'related _null',
      'related _nnull',
      'related key',
      'select',
      'alias of',
    ],
    columns: LISTS,
    cell: (row, column) => `${row} ${column}`,
  },
  {
    title: 'functions',
    rows: [...DATE_PARTS, 'count'],
    columns: ['select', 'filter'],
    cell: (name, column) => `function ${name}${column === 'filter' ? ' filter' : ''}`,
  },
  {
    title: 'aggregates by stored values',
    rows: [...AGGREGATES, 'count'],
    columns: STATES,
    cell: (name, state) => `aggregate ${name} ${state}`,
  },
  list('members of deep', [
    ...named(
      'deep',
      [...MEMBERS, 'aggregate', 'group'].map((m) => `_${m}`),
    ),
  ]),
  {
    title: 'values in answers',
    rows: Object.keys(OPERATORS).filter((type) => type !== 'number' && type !== 'member'),
    columns: STATES,
    cell: (type, state) => `output ${type} ${state}`,
  },
  list('other cases', [
    ...['_some around a variable without value', '_none around a variable without value'],
    ...['null literal _eq', 'null literal _neq', 'group _and', 'group _or'],
    ...['function json', 'function count(items)', 'function count(json)', 'group by function'],
    ...['group by json', 'sort by json', 'aggregate countAll', 'search', 'search nested'],
    ...['sort by function', 'sort by alias', 'sort by aggregate', 'sort through m2o'],
    ...['sort through a2o', 'alias', 'alias inside deep', 'alias of m2o', 'alias of a2o'],
    ...['deep inside deep', 'select o2m keys', 'select m2m keys', 'select m2a keys'],
    ...['select m2o unscoped', 'select m2o key of several columns', 'select a2o key'],
    ...['select a2o scoped', 'select a2o of another scope', 'fields *', 'fields *.* 1'],
    ...['fields *.* 2', 'backlink true', 'backlink false', 'meta total_count'],
    ...['meta filter_count', 'asked as page', 'asked as stream', 'asked as items', 'asked as item'],
  ]),
];

export class Coverage {
  readonly #counts = new Map<string, number>();

  readonly add = (cell: string): void => {
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + 1);
  };

  #count(grid: Grid, row: string, column: string): number {
    return this.#counts.get(grid.cell(row, column)) ?? 0;
  }

  /** The cases that no question has met. */
  missing(): string[] {
    return GRIDS.flatMap((grid) =>
      grid.rows.flatMap((row) =>
        grid.columns
          .filter((column) => this.#count(grid, row, column) === 0)
          .map((column) => grid.cell(row, column)),
      ),
    );
  }

  /** The tables with their counts, for people. */
  report(): string {
    return GRIDS.map((grid) => {
      const width = Math.max(...grid.rows.map((row) => row.length)) + 1;
      const cell = (text: string | number) => String(text).padStart(10);
      const head = `${grid.title.slice(0, width).padEnd(width)}${grid.columns.map(cell).join('')}`;
      const lines = grid.rows.map((row) => {
        const counts = grid.columns.map((column) => cell(this.#count(grid, row, column)));
        return `${row.padEnd(width)}${counts.join('')}`;
      });
      const title = grid.title.length > width ? [grid.title] : [];
      return [...title, head, ...lines].join('\n');
    }).join('\n\n');
  }
}

/** Prints plans as short stable text, for tests and for debugging queries. */

import type { Condition, Operand, RecordPath, Subject } from './condition.ts';
import { Placeholder } from './placeholder.ts';
import type {
  Aggregate,
  Column,
  Entry,
  Group,
  Guard,
  Join,
  LevelPlan,
  Match,
  Order,
  OrderTerm,
  Plan,
  Table,
  Value,
} from './plan.ts';

function columnText({ table, own, past }: Column): string {
  const name = `${table.alias}.${own.name}`;
  return past === null ? name : `past(${name})`;
}

function guardText(guard: Guard | null): string {
  return guard === null ? '' : ` if ${guard.table.alias}.rights ${guard.rights.join('|')}`;
}

function valueText(value: Value): string {
  switch (value.kind) {
    case 'column':
      return columnText(value.column) + guardText(value.column.guard);
    case 'call': {
      const path = value.steps.length === 0 ? '' : `, ${value.steps.join('.')}`;
      return `${value.name}(${columnText(value.column)}${path})${guardText(value.column.guard)}`;
    }
    case 'count':
      return `count(${tableText(value.table)} of ${value.parent.alias})${guardText(value.guard)}`;
    case 'member':
      return `${valueText(value.of)} -> ${value.steps.join('.')}`;
    case 'element':
      return 'element';
  }
}

function tableText({ alias, collection, source }: Table): string {
  return `${source === null ? collection.name : 'written rows'} ${alias}`;
}

function matchText(match: Match): string {
  if (match.kind === 'any') {
    const { from, to, relation } = match;
    return `${from.alias}.${relation.field} is ${to.alias}`;
  }
  const { left, right } = match;
  return left.columns
    .map(
      (name, index) => `${left.table.alias}.${name} = ${right.table.alias}.${right.columns[index]}`,
    )
    .join(' and ');
}

function joinText({ table, match, guard }: Join): string {
  return `${tableText(table)} on ${matchText(match)}${guardText(guard)}`;
}

function textsOf(texts: string | readonly string[] | Placeholder): string {
  return texts instanceof Placeholder ? 'slot' : JSON.stringify(texts);
}

function pathText({ text }: RecordPath): string {
  return text;
}

function operandText(operand: Operand): string {
  switch (operand.kind) {
    case 'value':
      return `${operand.type} ${textsOf(operand.text)}`;
    case 'list':
      return `${operand.type}[] ${textsOf(operand.texts)}`;
    case 'path':
      return pathText(operand.path);
    case 'geometry':
      return `geometry ${JSON.stringify(operand.shape)}`;
  }
}

function subjectText({ value, guard }: Subject): string {
  // A column prints its own guard.
  return value.kind === 'column' ? valueText(value) : valueText(value) + guardText(guard);
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'constant':
      return condition.value === null ? 'unknown' : String(condition.value);
    case 'test': {
      const operands = condition.operands.map(operandText);
      return [subjectText(condition.subject), condition.operator, ...operands].join(' ');
    }
    case 'group':
      return `(${condition.parts.map(conditionText).join(` ${condition.connective} `)})`;
    case 'holds': {
      const verb = condition.negated ? 'lacks' : 'holds';
      return `${subjectText(condition.subject)} ${verb} ${JSON.stringify(condition.texts)}`;
    }
    case 'elements': {
      const kind = condition.none ? 'no element' : 'some element';
      return `${kind} of ${subjectText(condition.subject)} (${conditionText(condition.condition)})`;
    }
    case 'one':
      return `one ${joinText(condition.join)} (${conditionText(condition.condition)})`;
    case 'many': {
      const { none, table, parent, condition: inner } = condition;
      const where = inner === null ? '' : ` (${conditionText(inner)})`;
      return `${none ? 'no' : 'some'} ${tableText(table)} of ${parent.alias}${where}`;
    }
    case 'seen':
      return `${conditionText(condition.condition)}${guardText(condition.guard)}`;
  }
}

function rightsText({ rights }: Table): string[] {
  if (rights.every(({ fields, condition }) => fields === null && condition === null)) return [];
  return rights.map(({ fields, condition }, index) => {
    const names = fields === null ? '*' : [...fields].join(', ');
    const rule = condition === null ? '' : ` where ${conditionText(condition)}`;
    return `right ${index}: ${names}${rule}`;
  });
}

function termOfOrder({ value, descending, among }: OrderTerm): string {
  const text = valueText(value) + (descending ? ' desc' : '');
  if (among === null) return text;
  const { parent, table, joins, guard, indexed } = among;
  const rows = [`${tableText(table)} of ${parent.alias}`, ...joins.map(joinText)];
  const of = `${text} among ${rows.join(' join ')}${guardText(guard)}`;
  return `(${of}${indexed ? '' : ' at once'})`;
}

function orderText({ joins, terms }: Order): string[] {
  const by = terms.map(termOfOrder);
  return [
    ...joins.map((one) => `join ${joinText(one)}`),
    ...(by.length === 0 ? [] : [`order ${by.join(', ')}`]),
  ];
}

function aggregateText({ term, column }: Aggregate): string {
  return `${term.aggregate}(${column === null ? '*' : columnText(column)})`;
}

function termText(value: Group | Aggregate): string {
  return 'key' in value ? value.key : aggregateText(value);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function entryLines(key: string, entry: Entry): string[] {
  const name = JSON.stringify(key).slice(1, -1);
  switch (entry.kind) {
    case 'value': {
      const form = entry.form === undefined ? '' : ` as ${entry.form}`;
      return [`${name}: ${valueText(entry.value)}${form}`];
    }
    case 'constant':
      return [`${name}: ${JSON.stringify(entry.text)}`];
    case 'object': {
      const inner = [...entry.entries].flatMap(([key, one]) => entryLines(key, one));
      return [`${name}: object`, ...indented(inner)];
    }
    case 'key':
      return [`${name}: key ${entry.columns.map(columnText).join(', ')}`];
    case 'one':
      return [`${name}: one${guardText(entry.guard)}`, ...indented(levelLines(entry.level))];
    case 'list': {
      const what = entry.keys.length > 0 ? 'keys' : 'list';
      if (entry.level === null) return [`${name}: nothing`];
      return [`${name}: ${what}${guardText(entry.guard)}`, ...indented(levelLines(entry.level))];
    }
    case 'count':
      return [`${name}: number of ${tableText(entry.table)} at once${guardText(entry.guard)}`];
    case 'any':
      return [
        `${name}: any${guardText(entry.guard)}`,
        ...entry.branches.flatMap(({ end, told }) =>
          typeof told === 'string'
            ? [`  ${end.collection}: ${told}`]
            : [`  ${end.collection}:`, ...indented(indented(levelLines(told)))],
        ),
      ];
  }
}

function levelLines(level: LevelPlan): string[] {
  const { table, conditions, content, limit, offset, atOnce } = level;
  const bounds = [
    ...(limit === null ? [] : [` limit ${limit}`]),
    ...(offset === 0 ? [] : [` offset ${offset}`]),
    ...(atOnce ? [' at once'] : []),
  ];
  const own =
    content.kind === 'items'
      ? [
          ...(content.order === null ? [] : orderText(content.order)),
          ...[...content.entries].flatMap(([key, entry]) => entryLines(key, entry)),
        ]
      : [
          ...content.groups.map(({ key, value }) => `group ${key}: ${valueText(value)}`),
          ...content.aggregates.map(aggregateText),
          ...content.terms.map(
            ({ value, descending }) => `order ${termText(value)}${descending ? ' desc' : ''}`,
          ),
        ];
  return [
    `${tableText(table)}${bounds.join('')}`,
    ...indented([
      ...rightsText(table),
      ...conditions.map((condition) => `where ${conditionText(condition)}`),
      ...own,
    ]),
  ];
}

/** The plan as text, with a line for each table, condition and value; levels are indented. */
export function printPlan(plan: Plan): string {
  const { root, rows, meta, keySeen, reads, reusable, cost } = plan;
  const lines = [
    ...levelLines(root),
    ...(rows === null ? [] : [`rows by ${rows.kind}`]),
    ...(keySeen === 'nowhere' ? ['key hidden'] : keySeen.map((guard) => `key${guardText(guard)}`)),
    ...meta.flatMap(({ name, table, conditions }) => [
      `${name} of ${tableText(table)}`,
      ...indented([
        ...rightsText(table),
        ...conditions.map((condition) => `where ${conditionText(condition)}`),
      ]),
    ]),
    `cost ${cost}${reusable ? '' : ', for one caller'}${reads === null ? ', never kept' : ''}`,
  ];
  return lines.join('\n');
}

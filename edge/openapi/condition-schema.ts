/** The schema of a condition on one value, by the type of the field: the operators it supports. */
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import {
  type OperandType,
  type Operator,
  operandShape,
  operatorsOf,
} from '#core/query/operator.ts';
import { anyOf, FLAG, type JsonSchema, listOf, NULL, refTo, TEXT } from './json-schema.ts';

/** The kinds of conditions; fields of one kind share a schema. */
interface Kind {
  readonly name: string;
  readonly operand: JsonSchema;
  readonly operators: readonly Operator[];
  /** A plain value may replace the condition, as a short form of `_eq`. */
  readonly alone: boolean;
}

const NUMBER = anyOf([{ type: 'number' }, { ...TEXT, pattern: '^(-?\\d+(\\.\\d+)?|\\$.+)$' }]);
const VALUE = anyOf([TEXT, { type: 'number' }, FLAG]);
const SHAPE = anyOf([{ type: 'object', properties: { type: TEXT }, required: ['type'] }, TEXT]);
const variable = '^\\$.+$';
const orVariable = (schema: JsonSchema) => anyOf([schema, { ...TEXT, pattern: variable }]);

function kindOf(name: string, type: OperandType, operand: JsonSchema, concealed = false): Kind {
  const operators = operatorsOf(type, concealed);
  return { name, operand, operators, alone: operators.includes('_eq') && type !== 'geometry' };
}

/** Exported for conditions on the results of functions. */
export const INTEGER_CONDITION = 'NumberCondition';

const KINDS: readonly Kind[] = [
  kindOf('TextCondition', 'text', { ...TEXT, minLength: 1 }),
  kindOf('UuidCondition', 'uuid', orVariable({ ...TEXT, format: 'uuid' })),
  kindOf('BooleanCondition', 'boolean', FLAG),
  kindOf(INTEGER_CONDITION, 'integer', NUMBER),
  kindOf('DateCondition', 'date', orVariable({ ...TEXT, format: 'date' })),
  kindOf('TimeCondition', 'time', { ...TEXT, examples: ['13:45:00'] }),
  kindOf('DateTimeCondition', 'dateTime', { ...TEXT, examples: ['2024-02-29T13:45:00'] }),
  kindOf('TimestampCondition', 'timestamp', orVariable({ ...TEXT, format: 'date-time' })),
  kindOf('JsonCondition', 'json', VALUE),
  kindOf('ListCondition', 'json', VALUE),
  kindOf('GeometryCondition', 'geometry', SHAPE),
  kindOf('ConcealedCondition', 'hash', TEXT, true),
  kindOf('OtherCondition', 'unknown', { ...TEXT, minLength: 1 }),
];

const BY_TYPE: Readonly<Record<string, string>> = {
  string: 'TextCondition',
  text: 'TextCondition',
  csv: 'TextCondition',
  binary: 'TextCondition',
  uuid: 'UuidCondition',
  boolean: 'BooleanCondition',
  integer: INTEGER_CONDITION,
  bigInteger: INTEGER_CONDITION,
  float: INTEGER_CONDITION,
  decimal: INTEGER_CONDITION,
  date: 'DateCondition',
  time: 'TimeCondition',
  dateTime: 'DateTimeCondition',
  timestamp: 'TimestampCondition',
};

/** A reference to the condition on a field. */
export function conditionOf(field: ColumnField): JsonSchema {
  const { type, column } = field;
  const name = isConcealed(field)
    ? 'ConcealedCondition'
    : type === 'json'
      ? column.elementType === null
        ? 'JsonCondition'
        : 'ListCondition'
      : type.startsWith('geometry')
        ? 'GeometryCondition'
        : (BY_TYPE[type] ?? 'OtherCondition');
  // The enumeration's own values are in the schema of its field's type.
  if (name === 'TextCondition' && column.enumValues !== null) {
    return refTo('schemas', 'EnumCondition');
  }
  return refTo('schemas', name);
}

function operandOf(operator: Operator, operand: JsonSchema): JsonSchema {
  switch (operandShape(operator)) {
    case 'flag':
      return FLAG;
    case 'list':
      return { type: 'array', items: operand, minItems: 1 };
    case 'pair':
      return { type: 'array', items: operand, minItems: 2, maxItems: 2 };
    case 'single':
      return anyOf([operand, NULL]);
    default:
      return operand;
  }
}

function groups(name: string): Readonly<Record<string, JsonSchema>> {
  const several = { ...listOf(refTo('schemas', name)), minItems: 1 };
  return { _and: several, _or: several };
}

function schemaOf({ name, operand, operators, alone }: Kind): JsonSchema {
  const own = operators.map((operator) => [operator, operandOf(operator, operand)] as const);
  const inside =
    name === 'JsonCondition'
      ? { _json: { type: 'object', description: 'Conditions by paths into the document' } }
      : {};
  const elements =
    name === 'ListCondition' || name === 'JsonCondition'
      ? Object.fromEntries(
          operatorsOf('member', false)
            .filter(
              (operator) => operandShape(operator) === 'filled' && /contains|with/.test(operator),
            )
            .map((operator) => [operator, operandOf(operator, VALUE)] as const),
        )
      : {};
  const object: JsonSchema = {
    type: 'object',
    properties: { ...Object.fromEntries(own), ...elements, ...inside, ...groups(name) },
    additionalProperties: false,
    minProperties: 1,
  };
  return alone ? anyOf([object, operand, NULL]) : object;
}

/** The schemas of all kinds, by name. */
export const CONDITION_SCHEMAS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [...KINDS, kindOf('EnumCondition', 'uuid', TEXT)].map((kind) => [kind.name, schemaOf(kind)]),
);

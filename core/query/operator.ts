/** The comparison operators of filters, and the field types that support them. */
import type { FieldType } from '#core/model/catalog/field-type.ts';

const NULLS = ['_null', '_nnull'] as const;
const EMPTY = ['_empty', '_nempty'] as const;
const EQUALITY = ['_eq', '_neq', ...NULLS] as const;
const MEMBERSHIP = [...EQUALITY, '_in', '_nin'] as const;
const RANGE = ['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'] as const;
const SUBSTRING = ['_contains', '_ncontains'] as const;
const PATTERN = [
  ...SUBSTRING,
  '_icontains',
  '_nicontains',
  '_starts_with',
  '_nstarts_with',
  '_istarts_with',
  '_nistarts_with',
  '_ends_with',
  '_nends_with',
  '_iends_with',
  '_niends_with',
  '_ieq',
  '_nieq',
] as const;
const ORDER = [...MEMBERSHIP, ...RANGE] as const;
const TEXT = [...MEMBERSHIP, ...EMPTY, ...PATTERN] as const;
const GENERIC = [...ORDER, ...EMPTY, ...SUBSTRING] as const;
const CONCEALED = [...NULLS, ...EMPTY] as const;
const SPATIAL = ['_intersects', '_nintersects', '_intersects_bbox', '_nintersects_bbox'] as const;
const MEMBER = [...ORDER, ...EMPTY, ...PATTERN] as const;
const ALL = [...MEMBER, ...SPATIAL] as const;

export type Operator = (typeof ALL)[number];

/** Operators on geometries, which only the database evaluates. */
export type SpatialOperator = (typeof SPATIAL)[number];

/**
 * The operand of an operator: true or false, a list, two values, a single value that may be null, a
 * text that may be empty, a geometry, or a filled value, which is neither null nor empty.
 */
export type OperandShape = 'flag' | 'list' | 'pair' | 'single' | 'text' | 'filled' | 'geometry';

/** Operators that are not listed here have a filled operand. */
const SHAPES: Readonly<Partial<Record<Operator, OperandShape>>> = {
  _null: 'flag',
  _nnull: 'flag',
  _empty: 'flag',
  _nempty: 'flag',
  _in: 'list',
  _nin: 'list',
  _between: 'pair',
  _nbetween: 'pair',
  _eq: 'single',
  _neq: 'single',
  _ieq: 'text',
  _nieq: 'text',
  _intersects: 'geometry',
  _nintersects: 'geometry',
  _intersects_bbox: 'geometry',
  _nintersects_bbox: 'geometry',
};

export function operandShape(operator: Operator): OperandShape {
  return SHAPES[operator] ?? 'filled';
}

const KNOWN: ReadonlySet<string> = new Set(ALL);

export function isOperator(key: string): key is Operator {
  return KNOWN.has(key);
}

/** The type that an operator tests: a field type, or a member of a document, whose type varies. */
export type OperandType = FieldType | 'member';

const BY_TYPE: Readonly<Record<string, readonly Operator[]>> = {
  string: TEXT,
  text: TEXT,
  csv: TEXT,
  binary: TEXT,
  uuid: MEMBERSHIP,
  boolean: EQUALITY,
  integer: ORDER,
  bigInteger: ORDER,
  decimal: ORDER,
  float: ORDER,
  date: ORDER,
  time: ORDER,
  dateTime: ORDER,
  json: NULLS,
  member: MEMBER,
  geometry: [...EQUALITY, ...SPATIAL],
  hash: CONCEALED,
};

/** The operators that this type supports; for concealed fields only tests for presence. */
export function operatorsOf(type: OperandType, concealed: boolean): readonly Operator[] {
  if (concealed) return CONCEALED;
  const known = type.startsWith('geometry') ? 'geometry' : type;
  return BY_TYPE[known] ?? GENERIC;
}

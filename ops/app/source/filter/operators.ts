/** The operators of filters: which a type takes, and what each compares with. */

const NULLS = ['_null', '_nnull'];
const EMPTY = ['_empty', '_nempty'];
const EQUALITY = ['_eq', '_neq'];
const MEMBERSHIP = [...EQUALITY, '_in', '_nin'];
const RANGE = ['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'];
const SUBSTRING = ['_contains', '_ncontains'];
const ENDS = ['_starts_with', '_nstarts_with', '_ends_with', '_nends_with'];
/** Those that take upper and lower case for the same. */
const ANY_CASE = [
  ...['_icontains', '_nicontains', '_ieq', '_nieq'],
  ...['_istarts_with', '_nistarts_with', '_iends_with', '_niends_with'],
];
/** Of payloads alone: whether a member is there at all, and whether a pattern matches. */
const SUBMITTED = '_submitted';
const REGEX = '_regex';
const SPATIAL = ['_intersects', '_nintersects', '_intersects_bbox', '_nintersects_bbox'];

const ORDERED = [...MEMBERSHIP, ...RANGE, ...NULLS];
/** The first of each list is what a new condition begins with. */
const TEXT = [
  '_icontains',
  ...MEMBERSHIP,
  ...SUBSTRING,
  ...ENDS,
  ...ANY_CASE.slice(1),
  ...EMPTY,
  ...NULLS,
];
const GENERIC = [...MEMBERSHIP, ...RANGE, ...SUBSTRING, ...EMPTY, ...NULLS];
const CONCEALED = [...NULLS, ...EMPTY];

const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: TEXT,
  text: TEXT,
  csv: TEXT,
  binary: TEXT,
  uuid: [...MEMBERSHIP, ...NULLS],
  boolean: [...EQUALITY, ...NULLS],
  integer: ORDERED,
  bigInteger: ORDERED,
  decimal: ORDERED,
  float: ORDERED,
  date: ORDERED,
  time: ORDERED,
  dateTime: ORDERED,
  json: NULLS,
  geometry: [...SPATIAL, ...EQUALITY, ...NULLS],
  hash: CONCEALED,
};

/** The operators for a type; concealed fields only tell whether they are set. */
export function operatorsOf(type: string, concealed: boolean): readonly string[] {
  if (concealed) return CONCEALED;
  return BY_TYPE[type.startsWith('geometry') ? 'geometry' : type] ?? GENERIC;
}

/** The operators for a type in a validation, which judges what is sent. */
export function payloadOperatorsOf(type: string, concealed: boolean): readonly string[] {
  const isText = ['string', 'text', 'csv', 'uuid', 'hash'].includes(type);
  return [...operatorsOf(type, concealed), ...(isText ? [REGEX] : []), SUBMITTED];
}

/** What an operator compares with: nothing, a list, two values, or one. */
export type Operand = 'none' | 'list' | 'pair' | 'one';

export function operandOf(operator: string): Operand {
  if (NULLS.includes(operator) || EMPTY.includes(operator) || operator === SUBMITTED) return 'none';
  if (operator === '_in' || operator === '_nin') return 'list';
  return operator === '_between' || operator === '_nbetween' ? 'pair' : 'one';
}

const ALL = new Set([...TEXT, ...GENERIC, ...SPATIAL, SUBMITTED, REGEX]);

export function isOperator(name: string): boolean {
  return ALL.has(name);
}

/** The comparison operators of filters and which types of field take them. */
import type { FieldType } from '#core/catalog/field-type.ts';

export const OPERATORS = [
  '_eq',
  '_neq',
  '_lt',
  '_lte',
  '_gt',
  '_gte',
  '_in',
  '_nin',
  '_between',
  '_nbetween',
  '_null',
  '_nnull',
  '_empty',
  '_nempty',
  '_contains',
  '_ncontains',
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

export type Operator = (typeof OPERATORS)[number];

const KNOWN: ReadonlySet<string> = new Set(OPERATORS);

export function isOperator(key: string): key is Operator {
  return KNOWN.has(key);
}

const NULLS = ['_null', '_nnull'] as const;
const EQUALITY = ['_eq', '_neq', ...NULLS] as const;
const MEMBERSHIP = [...EQUALITY, '_in', '_nin'] as const;
const ORDER = [...MEMBERSHIP, '_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'] as const;
const EMPTY = ['_empty', '_nempty'] as const;
const TEXT = [
  ...MEMBERSHIP,
  ...EMPTY,
  '_contains',
  '_ncontains',
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
const GENERIC = [...ORDER, ...EMPTY, '_contains', '_ncontains'] as const;
const CONCEALED = [...NULLS, ...EMPTY] as const;

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
  geometry: EQUALITY,
  hash: CONCEALED,
};

/** The operators that a field of this type takes; concealed fields tell only whether they are set. */
export function operatorsOf(type: FieldType, concealed: boolean): readonly Operator[] {
  if (concealed) return CONCEALED;
  return BY_TYPE[type] ?? GENERIC;
}

/**
 * Checks the JSON type of a value: it must fit the type of the field. Only numbers may be texts,
 * because JSON cannot represent all of them. In URLs, forms and CSV, where everything is text,
 * values are converted before.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import type { FieldType } from '#core/catalog/field-type.ts';

/** The JSON type of a value that is neither null, list nor object. */
export type Kind = 'string' | 'number' | 'boolean';

/** The JSON type of a value; null for others. */
export function kindOf(value: unknown): Kind | null {
  const kind = typeof value;
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : null;
}

interface Demand {
  readonly kinds: ReadonlySet<Kind>;
  readonly reason: string;
}

const NUMBER: Demand = {
  kinds: new Set<Kind>(['number', 'string']),
  reason: 'The value must be a number.',
};
const BOOLEAN: Demand = {
  kinds: new Set<Kind>(['boolean']),
  reason: 'The value must be true or false.',
};
const TEXT: Demand = { kinds: new Set<Kind>(['string']), reason: 'The value must be a text.' };
const ANY: Demand = { kinds: new Set<Kind>(['string', 'number', 'boolean']), reason: '' };
const LIST: Demand = { kinds: new Set(), reason: 'The value must be a list.' };
const SHAPE: Demand = { kinds: new Set(), reason: 'The value must be a geometry in GeoJSON.' };
/** Types that are read and written as text. */
const UNKNOWN: Demand = {
  kinds: new Set<Kind>(['string', 'number']),
  reason: 'The value must be a text.',
};

const BY_TYPE: Readonly<Partial<Record<FieldType, Demand>>> = {
  integer: NUMBER,
  bigInteger: NUMBER,
  float: NUMBER,
  decimal: NUMBER,
  boolean: BOOLEAN,
  json: ANY,
  unknown: UNKNOWN,
};

function demandOf({ type, column }: ColumnField): Demand {
  if (type.startsWith('geometry')) return SHAPE;
  return column.elementType !== null && type === 'json' ? LIST : (BY_TYPE[type] ?? TEXT);
}

/** Why a value of this JSON type does not fit the field; null when it does. */
export function kindFault(field: ColumnField, kind: Kind): string | null {
  const { kinds, reason } = demandOf(field);
  return kinds.has(kind) ? null : reason;
}

const MOMENTS: ReadonlySet<FieldType> = new Set<FieldType>([
  'date',
  'time',
  'dateTime',
  'timestamp',
]);

/** Whether the field is a date, a time or both. */
export function isTemporal({ type }: Pick<ColumnField, 'type'>): boolean {
  return MOMENTS.has(type);
}

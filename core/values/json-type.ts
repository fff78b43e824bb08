/**
 * Whether a value of a JSON body may stand for a field's at all: it has the type that it is written
 * in. Only numbers may be texts, because JSON cannot hold all of them. What is a spelling is
 * converted before, where everything is text: in URLs, forms and CSV.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import type { FieldType } from '#core/catalog/field-type.ts';

/** How a value that is neither null, list nor object is written. */
export type Kind = 'string' | 'number' | 'boolean';

/** How a value is written; null for what is neither a text, a number, true nor false. */
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

/** Why a value written so cannot be the field's; null when it may. */
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

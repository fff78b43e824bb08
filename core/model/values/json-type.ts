/**
 * Checks the JSON type of a value: it must fit the type of the field. Only numbers may be texts,
 * because JSON cannot represent all of them. In URLs, forms and CSV, where all values are text,
 * values are converted first.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ColumnField } from '../catalog/catalog.ts';
import type { FieldType } from '../catalog/field-type.ts';

/** The JSON type of a value that is neither null, list nor object. */
export type Kind = 'string' | 'number' | 'boolean';

/** The JSON type of a value; null for other values. */
export function kindOf(value: unknown): Kind | null {
  const kind = typeof value;
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : null;
}

interface Demand {
  readonly kinds: ReadonlySet<Kind>;
  readonly reason: Reason;
}

const NUMBER: Demand = {
  kinds: new Set<Kind>(['number', 'string']),
  reason: reason('value_number_expected'),
};
const BOOLEAN: Demand = {
  kinds: new Set<Kind>(['boolean']),
  reason: reason('value_boolean_expected'),
};
const TEXT: Demand = { kinds: new Set<Kind>(['string']), reason: reason('value_text_expected') };
const LIST: Demand = { kinds: new Set(), reason: reason('value_list_expected') };
const SHAPE: Demand = { kinds: new Set(), reason: reason('value_geometry_expected') };
/** Types that are text in JSON. */
const UNKNOWN: Demand = {
  kinds: new Set<Kind>(['string', 'number']),
  reason: reason('value_text_expected'),
};

/** Null for a type that accepts all JSON types. */
const BY_TYPE: Readonly<Partial<Record<FieldType, Demand | null>>> = {
  integer: NUMBER,
  bigInteger: NUMBER,
  float: NUMBER,
  decimal: NUMBER,
  boolean: BOOLEAN,
  json: null,
  unknown: UNKNOWN,
};

function demandOf({ type, column }: ColumnField): Demand | null {
  if (type.startsWith('geometry')) return SHAPE;
  if (column.elementType !== null && type === 'json') return LIST;
  const known = BY_TYPE[type];
  return known === undefined ? TEXT : known;
}

/** Why a value of this JSON type does not fit the field; null when it does. */
export function kindFault(field: ColumnField, kind: Kind): Reason | null {
  const demand = demandOf(field);
  return demand === null || demand.kinds.has(kind) ? null : demand.reason;
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

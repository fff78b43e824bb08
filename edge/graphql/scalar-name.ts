/** Maps the types of fields to GraphQL scalars, and to the notation of their values. */
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';
import type { ValueForm } from '#core/query/query.ts';

/** The scalars of values; `List` is a list of texts. */
export type ScalarName =
  | 'Boolean'
  | 'Int'
  | 'Float'
  | 'String'
  | 'ID'
  | 'GraphQLBigInt'
  | 'GraphQLGeoJSON'
  | 'JSON'
  | 'Date'
  | 'Hash'
  | 'List';

/** A field type; all geometries are one type here. */
type PlainType = Exclude<FieldType, `geometry.${string}`>;

/** The scalar of each type, for fields that are not keys. */
const BY_TYPE: Readonly<Record<PlainType, ScalarName>> = {
  string: 'String',
  text: 'String',
  boolean: 'Boolean',
  integer: 'Int',
  bigInteger: 'GraphQLBigInt',
  float: 'Float',
  decimal: 'Float',
  date: 'Date',
  time: 'Date',
  dateTime: 'Date',
  timestamp: 'Date',
  json: 'JSON',
  csv: 'List',
  uuid: 'ID',
  hash: 'Hash',
  binary: 'JSON',
  geometry: 'GraphQLGeoJSON',
  alias: 'String',
  unknown: 'String',
};

function isPlain(type: string): type is PlainType {
  return Object.hasOwn(BY_TYPE, type);
}

export function scalarOf(field: ColumnField, isKey: boolean): ScalarName {
  if (isKey) return 'ID';
  if (isConcealed(field)) return 'Hash';
  return BY_TYPE[isPlain(field.type) ? field.type : 'geometry'];
}

/** The field types of a scalar; keys may have any type. */
export function fieldTypesOf(scalar: ScalarName): readonly FieldType[] {
  const types = Object.keys(BY_TYPE).filter(isPlain);
  return scalar === 'ID' ? types : types.filter((type) => BY_TYPE[type] === scalar);
}

export function valueFormOf({ type }: ColumnField, scalar: ScalarName): ValueForm | null {
  if (scalar === 'ID') return type === 'integer' || type === 'float' ? 'text' : null;
  return scalar === 'Float' ? 'number' : null;
}

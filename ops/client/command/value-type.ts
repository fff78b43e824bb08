/** The TypeScript type of a column's values, as they are read. */
import { isMembers, type Members, type ShownField, textOf, textsOf } from './description.ts';
import { literal } from './names.ts';

/** How a column is written: the type of the field, and that of its values without null. */
export interface ValueType {
  readonly field: string;
  readonly value: string;
  /** Null may be read although the column has none. */
  readonly isNullable: boolean;
}

const BY_TYPE: Readonly<Record<string, string>> = {
  string: 'string',
  text: 'string',
  uuid: 'string',
  date: 'string',
  time: 'string',
  dateTime: 'string',
  timestamp: 'string',
  bigInteger: 'string',
  decimal: 'string',
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  json: 'Json',
  csv: 'string[]',
  hash: 'Concealed',
  binary: 'Bytes',
  geometry: 'Geometry',
};

/** Numbers stand in lists as they are, also those that are texts by themselves. */
const BY_ELEMENT: Readonly<Record<string, string>> = {
  smallint: 'number',
  integer: 'number',
  bigint: 'string',
  numeric: 'string',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  text: 'string',
  'character varying': 'string',
  character: 'string',
  citext: 'string',
  uuid: 'string',
  date: 'string',
  'time without time zone': 'string',
  'timestamp without time zone': 'string',
  'timestamp with time zone': 'string',
};

const SHAPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon'];

/** The flags of a field, such as `uuid` and `conceal`. */
export function flagsOf(meta: Members | null): readonly string[] {
  const { special } = meta ?? {};
  return textOf(special)?.split(',') ?? textsOf(special);
}

export function isConcealed({ type, meta }: ShownField): boolean {
  const flags = flagsOf(meta);
  return type === 'hash' || flags.includes('hash') || flags.includes('conceal');
}

const ONE_CHOICE = ['select-dropdown', 'select-radio'];
const SEVERAL_CHOICES = [
  ...['select-multiple-dropdown', 'select-multiple-checkbox', 'select-multiple-checkbox-tree'],
];

function valuesOf(choices: readonly unknown[]): unknown[] {
  return choices.filter(isMembers).flatMap(({ value, children }) => {
    return [value, ...(Array.isArray(children) ? valuesOf(children) : [])];
  });
}

/** The choices that an interface offers, where it takes no others; null without. */
function closedChoices({ meta }: ShownField, interfaces: readonly string[]): unknown[] | null {
  const { options } = meta ?? {};
  if (!isMembers(options) || !interfaces.includes(String(meta?.interface))) return null;
  if (options.allowOther === true || !Array.isArray(options.choices)) return null;
  const values = valuesOf(options.choices);
  return values.length === 0 ? null : values;
}

function union(values: readonly unknown[], kind: 'string' | 'number'): string | null {
  if (!values.every((value) => typeof value === kind)) return null;
  const texts = values.map((value) => (kind === 'string' ? literal(String(value)) : String(value)));
  return [...new Set(texts)].join(' | ');
}

/** The union of the values that a field can have by its interface. */
function chosen(field: ShownField): string | null {
  const { type } = field;
  const one = closedChoices(field, ONE_CHOICE);
  if (one !== null && (type === 'string' || type === 'text')) return union(one, 'string');
  if (one !== null && (type === 'integer' || type === 'float')) return union(one, 'number');
  const several = closedChoices(field, SEVERAL_CHOICES);
  if (several === null || (type !== 'csv' && type !== 'json')) return null;
  const entry = union(several, 'string');
  return entry === null ? null : `(${entry})[]`;
}

/** A column whose values are converted: one that cannot be is read as null. */
function isConverted(type: string, dataType: string): boolean {
  if (type === 'boolean') return dataType !== 'boolean';
  if (type === 'json') return dataType !== 'json' && dataType !== 'jsonb';
  const isMoment = type === 'timestamp' || type === 'dateTime';
  return isMoment && !/^(?:timestamp|date)/.test(dataType);
}

/**
 * The type of a column.
 * @param enumeration the name of the type of an enumeration, or of that of an array's entries; null
 *   for other columns
 */
export function valueType(field: ShownField, enumeration: string | null): ValueType {
  const { type, schema } = field;
  const dataType = textOf(schema?.data_type) ?? '';
  const shape = type.startsWith('geometry.') ? type.slice('geometry.'.length) : null;
  const name = shape === null ? type : 'geometry';
  const known = Object.hasOwn(BY_TYPE, name) ? name : 'unknown';
  if (isConcealed(field)) return { field: known, value: 'Concealed', isNullable: false };
  if (type === 'json' && dataType.endsWith('[]')) {
    const element = enumeration ?? BY_ELEMENT[dataType.slice(0, -2)] ?? 'Json';
    const entry = element === 'Json' ? 'Json' : `${element} | null`;
    return {
      field: 'list',
      value: entry === 'Json' ? 'Json[]' : `(${entry})[]`,
      isNullable: false,
    };
  }
  const own = shape !== null && SHAPES.includes(shape) ? shape : (BY_TYPE[name] ?? 'string');
  return {
    field: known,
    value: enumeration ?? chosen(field) ?? own,
    isNullable: isConverted(type, dataType),
  };
}

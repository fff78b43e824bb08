/** The columns of an exported Parquet file: their types, and values of them from JSON. */
import type { ParquetWriter } from 'hyparquet-writer';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { JsonNumber } from '#core/base/json/exact-json.ts';
import type { ItemColumn } from '#core/query/query.ts';

/** The digits that a decimal of 16 bytes holds. */
const DECIMAL_DIGITS = 38;
const DAY_MS = 86_400_000;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** A column: its element in the schema, and how a text becomes its value. */
export interface ExportedColumn {
  readonly element: SchemaElement;
  /** The value for a text; undefined when the type does not hold it. */
  readonly parse: (text: string) => unknown;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d(?::?\d\d)?)?$/;

function daysOf(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1] = match.slice(1).map(Number);
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS;
}

function offsetMinutes(zone: string): number {
  if (zone === '' || zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Microseconds since 1970. */
function microsOf(text: string): bigint | undefined {
  const match = MOMENT.exec(text);
  const days = daysOf(match?.[1] ?? '');
  if (match === null || days === undefined) return undefined;
  const [, , hour = '0', minute = '0', second = '0', fraction = '', zone = ''] = match;
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes(zone);
  const seconds = days * 86_400 + minutes * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/** A decimal without its point. */
function unscaledOf(text: string, scale: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  return fraction.length > scale
    ? undefined
    : BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
}

function doubleOf(text: string): number | undefined {
  const value = Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? undefined : value;
}

function wholeOf(text: string): bigint | undefined {
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

type Parts = Omit<SchemaElement, 'name' | 'repetition_type'>;

function decimal(precision: number, scale: number): [Parts, ExportedColumn['parse']] {
  const parts: Parts = {
    ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL' },
    ...{ precision, scale, logical_type: { type: 'DECIMAL', precision, scale } },
  };
  return [parts, (text) => unscaledOf(text, scale)];
}

function timestamp(isUtc: boolean): [Parts, ExportedColumn['parse']] {
  const logical = { type: 'TIMESTAMP', isAdjustedToUTC: isUtc, unit: 'MICROS' } as const;
  return [{ type: 'INT64', logical_type: logical }, microsOf];
}

function typeOf({ column, isDocument }: ItemColumn): [Parts, ExportedColumn['parse']] {
  const bytes = (text: string) => Buffer.from(text);
  if (isDocument || (column !== undefined && column.elementType !== null)) {
    return [{ type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } }, bytes];
  }
  switch (column?.typeName) {
    case 'int2':
    case 'int4':
      return [
        { type: 'INT32' },
        (text) => (wholeOf(text) === undefined ? undefined : Number(text)),
      ];
    case 'int8':
      return [{ type: 'INT64' }, wholeOf];
    case 'float4':
    case 'float8':
      return [{ type: 'DOUBLE' }, doubleOf];
    case 'bool':
      return [{ type: 'BOOLEAN' }, (text) => text === 'true'];
    case 'date':
      return [{ type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, daysOf];
    case 'timestamp':
      return timestamp(false);
    case 'timestamptz':
      return timestamp(true);
    case 'numeric': {
      const { numericPrecision: precision, numericScale: scale } = column;
      const fits = precision !== null && scale !== null && scale >= 0 && scale <= precision;
      if (fits && precision <= DECIMAL_DIGITS) return decimal(precision, scale);
      break;
    }
    default:
  }
  return [{ type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }, bytes];
}

/** The column of a file for values of items. */
export function exportedColumn(column: ItemColumn): ExportedColumn {
  const [parts, parse] = typeOf(column);
  return {
    element: { name: column.path.join('.'), repetition_type: 'OPTIONAL', ...parts },
    parse,
  };
}

/** @throws ServiceError UNPROCESSABLE_ENTITY when the type of the column does not hold the value */
export function exportedValue({ element, parse }: ExportedColumn, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const text = value instanceof JsonNumber ? value.source : String(value);
  const found = parse(text);
  if (found !== undefined) return found;
  const details = { value: text.slice(0, 100), column: element.name };
  const why = reason('value_misfits_parquet', details);
  throw new ServiceError('UNPROCESSABLE_ENTITY', { ...details, reason: why });
}

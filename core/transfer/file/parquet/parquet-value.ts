/** Writes the values of a Parquet column as cells, by their physical and their logical type. */
import type { SchemaElement, TimeUnit } from 'hyparquet';
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { BINARY, type CellKind, JSON_TEXT, LITERAL, MOMENT, TEXT } from '../table/cell-frames.ts';
import type { DeclaredType } from '../table/table-file.ts';
import {
  dateText,
  decimalText,
  doubleText,
  halfOf,
  intervalText,
  momentText,
  singleText,
  timeText,
  uuidText,
  wholeOf,
} from './parquet-text.ts';

/** The cell of a value: its kind, and its text or its UTF-8 bytes. */
export type CellContent = string | Uint8Array;

/** What a column holds. */
export interface ParquetType {
  readonly declared: DeclaredType;
  readonly kind: CellKind;
  /** The content of a cell whose value is not null, from the physical value. */
  readonly content: (value: unknown) => CellContent;
}

/** Divides with the remainder of whole numbers below zero. */
function split(value: bigint, by: bigint): [number, number] {
  const rest = ((value % by) + by) % by;
  return [Number((value - rest) / by), Number(rest)];
}

function isNumeric(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === 'string' ? value : String(value));
}

function big(value: unknown): bigint {
  return isNumeric(value) ? BigInt(value) : 0n;
}

function numberOf(value: unknown): number {
  return isNumeric(value) ? Number(value) : Number.NaN;
}

function moment(value: unknown, unit: TimeUnit, isUtc: boolean): string {
  const whole = big(value);
  if (unit === 'MILLIS') return momentText(Number(whole), 0, isUtc);
  // The microseconds of distant years exceed the exact whole numbers of doubles.
  const micros = unit === 'NANOS' ? (whole - BigInt(split(whole, 1_000n)[1])) / 1_000n : whole;
  const [millis, rest] = split(micros, 1_000n);
  return momentText(millis, rest, isUtc);
}

function timeOfDay(value: unknown, unit: TimeUnit): string {
  const whole = numberOf(value);
  if (unit === 'MILLIS') return timeText(whole * 1_000);
  return timeText(unit === 'NANOS' ? Math.floor(whole / 1_000) : whole);
}

function literal(declared: DeclaredType, content: ParquetType['content']): ParquetType {
  return { declared, kind: LITERAL, content };
}

function decimal({ scale = 0 }: SchemaElement): ParquetType {
  return literal('decimal', (value) =>
    decimalText(value instanceof Uint8Array ? wholeOf(value) : isNumeric(value) ? value : 0, scale),
  );
}

function temporal({
  converted_type: old,
  logical_type: logical,
}: SchemaElement): ParquetType | null {
  if (logical?.type === 'DATE' || old === 'DATE') {
    return { declared: 'date', kind: MOMENT, content: (value) => dateText(numberOf(value)) };
  }
  if (logical?.type === 'TIMESTAMP') {
    const { unit, isAdjustedToUTC: isUtc } = logical;
    const declared = isUtc ? 'timestamp' : 'dateTime';
    return { declared, kind: MOMENT, content: (value) => moment(value, unit, isUtc) };
  }
  if (old === 'TIMESTAMP_MILLIS' || old === 'TIMESTAMP_MICROS') {
    const unit = old === 'TIMESTAMP_MILLIS' ? 'MILLIS' : 'MICROS';
    return { declared: 'timestamp', kind: MOMENT, content: (value) => moment(value, unit, true) };
  }
  if (logical?.type === 'TIME') {
    const { unit } = logical;
    return { declared: 'time', kind: MOMENT, content: (value) => timeOfDay(value, unit) };
  }
  if (old !== 'TIME_MILLIS' && old !== 'TIME_MICROS') return null;
  const unit = old === 'TIME_MILLIS' ? 'MILLIS' : 'MICROS';
  return { declared: 'time', kind: MOMENT, content: (value) => timeOfDay(value, unit) };
}

function isUnsigned({ converted_type: old, logical_type: logical }: SchemaElement): boolean {
  if (logical?.type === 'INTEGER') return !logical.isSigned;
  return old?.startsWith('UINT_') === true;
}

function whole(element: SchemaElement): ParquetType {
  if (!isUnsigned(element)) {
    return literal(element.type === 'INT32' ? 'integer' : 'bigInteger', String);
  }
  if (element.type === 'INT32')
    return literal('bigInteger', (value) => String(numberOf(value) >>> 0));
  return literal('decimal', (value) => String(BigInt.asUintN(64, big(value))));
}

function geometry(value: unknown): string {
  const bytes = bytesOf(value);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return JSON.stringify(wkbToGeojson({ view, offset: 0 }));
}

function ofBytes({ converted_type: old, logical_type: logical }: SchemaElement): ParquetType {
  const type = logical?.type ?? old;
  if (type === 'STRING' || type === 'UTF8' || type === 'ENUM') {
    return { declared: 'text', kind: TEXT, content: bytesOf };
  }
  if (type === 'JSON') return { declared: 'json', kind: JSON_TEXT, content: bytesOf };
  if (type === 'GEOMETRY' || type === 'GEOGRAPHY') {
    return { declared: 'json', kind: JSON_TEXT, content: geometry };
  }
  if (type === 'UUID') return literal('uuid', (value) => uuidText(bytesOf(value)));
  if (type === 'INTERVAL') return literal('text', (value) => intervalText(bytesOf(value)));
  if (type === 'FLOAT16') return literal('float', (value) => singleText(halfOf(bytesOf(value))));
  return { declared: 'binary', kind: BINARY, content: bytesOf };
}

/** What the values of a leaf of the schema are. */
export function parquetType(element: SchemaElement): ParquetType {
  const { type, converted_type: old, logical_type: logical } = element;
  if (logical?.type === 'DECIMAL' || old === 'DECIMAL') return decimal(element);
  const timed = temporal(element);
  if (timed !== null) return timed;
  switch (type) {
    case 'BOOLEAN':
      return literal('boolean', String);
    case 'INT32':
    case 'INT64':
      return whole(element);
    case 'INT96':
      // Its parser gives the nanoseconds since 1970.
      return {
        ...{ declared: 'dateTime', kind: MOMENT },
        content: (value) => moment(value, 'NANOS', false),
      };
    case 'FLOAT':
      return literal('float', (value) => singleText(numberOf(value)));
    case 'DOUBLE':
      return literal('float', (value) => doubleText(numberOf(value)));
    default:
      return ofBytes(element);
  }
}

/** The JSON text of a value of a leaf inside of a list or an object. */
export function leafJson({ kind, declared, content }: ParquetType, value: unknown): string {
  const found = content(value);
  const text = typeof found === 'string' ? found : Buffer.from(found).toString('utf8');
  if (kind === JSON_TEXT) return text;
  if (kind === BINARY) return JSON.stringify(`\\x${Buffer.from(bytesOf(value)).toString('hex')}`);
  const isNumber = ['integer', 'bigInteger', 'decimal', 'float'].includes(declared);
  const isPlain = kind === LITERAL && (declared === 'boolean' || (isNumber && /\d$/.test(text)));
  return isPlain && text !== '-0' ? text : JSON.stringify(text);
}

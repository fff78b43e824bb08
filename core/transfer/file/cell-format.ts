/** Converts the notation of numbers, dates and times in a file into that of PostgreSQL. */
import { reason } from '#core/base/errors/reason.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { isTemporal } from '#core/model/values/json-type.ts';
import { MisplacedValue } from './cell-text.ts';
import { DateFormat, LocalTime } from './date-format.ts';
import type { FileColumn } from './file-column.ts';

/** The text in PostgreSQL's format. @throws {MisplacedValue} when it does not have this notation */
export type Conversion = (text: string) => string;

const NUMERIC = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money']);

const CLOCKS = new Set(['time', 'timetz']);

function withComma(text: string): string {
  if (!text.includes('.')) return text.replace(',', '.');
  throw new MisplacedValue(text, reason('decimal_comma_with_point'));
}

/** Patterns of the separators of groups; spaces of any width are the same. */
function groupPattern(thousands: string): string {
  return thousands === ' '
    ? '[ \\u00a0\\u2009\\u202f]'
    : `\\u{${thousands.codePointAt(0)?.toString(16)}}`;
}

/** Removes the separators between groups of digits, which must be complete. */
function withoutGroups(thousands: string, decimal: string): Conversion {
  const sign = groupPattern(thousands);
  const part = `(?:[${decimal}]\\d*)?`;
  const grouped = new RegExp(
    `^\\s*[+-]?\\d{1,3}(?:${sign}\\d{2,3})*${sign}\\d{3}${part}\\s*$`,
    'u',
  );
  const any = new RegExp(sign, 'gu');
  return (text) => {
    if (grouped.test(text)) return text.trim().replace(any, '');
    if (text.trim().search(any) < 0) return text;
    throw new MisplacedValue(text, reason('number_misgrouped', { thousands }));
  };
}

/** The conversion of numbers; null when PostgreSQL reads them. */
function numberConversion({
  decimal = '.',
  thousands,
}: Pick<ImportParameters, 'decimal' | 'thousands'>): Conversion | null {
  const point = decimal === ',' ? withComma : null;
  if (thousands === undefined) return point;
  const plain = withoutGroups(thousands, decimal);
  return point === null ? plain : (text) => point(plain(text));
}

function inFormat(format: DateFormat, notation: string): Conversion {
  return (text) => {
    const iso = format.iso(text);
    if (iso !== null) return iso;
    throw new MisplacedValue(text, reason('date_misfits_format', { format: notation }));
  };
}

/** The conversion that the options require for a column; null without one. */
export function conversionOf(
  { field, form }: Pick<FileColumn, 'field' | 'form'>,
  parameters: ImportParameters,
): Conversion | null {
  if (form !== 'plain') return null;
  const { formats, timezone } = parameters;
  const own =
    formats !== undefined && Object.hasOwn(formats, field.name) ? formats[field.name] : {};
  const { decimal, thousands, dateFormat } = { ...parameters, ...own };
  const { typeName } = field.column;
  if (NUMERIC.has(typeName)) return numberConversion({ decimal, thousands });
  if (!isTemporal(field)) return null;
  const format = dateFormat === undefined ? null : new DateFormat(dateFormat);
  // A date format does not apply to times of day, and vice versa.
  const fits = format?.hasDate === !CLOCKS.has(typeName);
  const read = fits && format && dateFormat ? inFormat(format, dateFormat) : null;
  if (timezone === undefined || typeName !== 'timestamptz') return read;
  const local = new LocalTime(timezone);
  return (text) => local.zoned(read?.(text) ?? text);
}

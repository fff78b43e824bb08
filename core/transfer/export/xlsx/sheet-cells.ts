/** Writes values as cells of a sheet; a text is never a formula there. */
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { JsonNumber } from '#core/base/json/exact-json.ts';
import type { ItemColumn } from '#core/query/query.ts';
import { columnLetters } from '../../file/xlsx/address.ts';

/** The characters of a cell. */
const CELL_LENGTH = 32_767;
/** The digits that a spreadsheet keeps. */
const DIGITS = 15;
/** Numbers beyond these powers of ten are texts. */
const POWERS = 300;

/** The styles of cells: those of the workbook's part `styles.xml`. */
const DATE_STYLE = 1;
const MOMENT_STYLE = 2;
const TIME_STYLE = 3;

const DAY_MS = 86_400_000;
/** The day before the first one, as all days after February 1900 count it. */
const EPOCH = Date.UTC(1899, 11, 30);
const FIRST_DAY = 61;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})0*)?$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})0*)?$/;

/** Characters that XML or a spreadsheet would change, and what looks like their replacement. */
const CHANGED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 cannot hold
  /[\0-\x08\x0B\x0C\x0D\x0E-\x1F\uFFFE\uFFFF]|_(?=x[0-9a-fA-F]{4}_)/g;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as the content of an element. */
function xmlText(text: string): string {
  const escaped = text.replace(
    CHANGED,
    (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
  return escaped.replace(/[&<>]/g, (char) => MARKUP[char] ?? char);
}

/** Whether a spreadsheet keeps a number as it is. */
function isExact(source: string): boolean {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (match === null) return false;
  const [, whole = '', fraction = '', power = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '').length;
  return digits <= DIGITS && Math.abs(Number(power)) < POWERS && !source.startsWith('-0.0e');
}

function dayOf(text: string): number | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const [year = 0, month = 1, day = 1] = match.slice(1).map(Number);
  const days = (Date.UTC(year, month - 1, day) - EPOCH) / DAY_MS;
  return days >= FIRST_DAY && year >= 1900 ? days : null;
}

function partOfDay([hour = '0', minute = '0', second = '0', fraction = '']: string[]): number {
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return (seconds * 1_000 + Number(fraction.padEnd(3, '0'))) / DAY_MS;
}

/** A date or a time as days and a style; null when a cell cannot hold it as such. */
function momentOf(text: string, typeName: string): readonly [number, number] | null {
  if (typeName === 'date') {
    const day = dayOf(text);
    return day === null ? null : [day, DATE_STYLE];
  }
  if (typeName === 'time') {
    const match = TIME.exec(text);
    const part = match === null ? 1 : partOfDay(match.slice(1).map((one) => one ?? ''));
    return part < 1 ? [part, TIME_STYLE] : null;
  }
  const match = MOMENT.exec(text);
  const day = dayOf(match?.[1] ?? '');
  if (typeName !== 'timestamp' || match === null || day === null) return null;
  return [day + partOfDay(match.slice(2).map((one) => one ?? '')), MOMENT_STYLE];
}

const NUMBERS = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']);

/**
 * A cell; empty for null.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a text that no cell can hold
 */
export function cellXml(
  value: unknown,
  place: { readonly column: number; readonly row: number },
  { column: stored }: ItemColumn,
): string {
  if (value === null || value === undefined) return '';
  const address = `${columnLetters(place.column)}${place.row}`;
  if (typeof value === 'boolean') return `<c r="${address}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = value instanceof JsonNumber ? value.source : String(value);
  const typeName = stored === undefined || stored.elementType !== null ? '' : stored.typeName;
  const isNumber =
    value instanceof JsonNumber || typeof value === 'number' || NUMBERS.has(typeName);
  if (isNumber && isExact(text)) return `<c r="${address}"><v>${text}</v></c>`;
  const moment = momentOf(text, typeName);
  if (moment !== null) return `<c r="${address}" s="${moment[1]}"><v>${moment[0]}</v></c>`;
  const { length } = text;
  if (length > CELL_LENGTH) {
    const details = { cell: address, length, limit: CELL_LENGTH };
    const why = reason('cell_too_long_for_workbook', details);
    throw new ServiceError('UNPROCESSABLE_ENTITY', { ...details, reason: why });
  }
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

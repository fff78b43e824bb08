/** Finds the kinds of a value of a file, by the options of the import. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { DateFormat } from '../file/date-format.ts';
import { dateFormats } from './date-reading.ts';
import * as kind from './kinds.ts';
import { momentKinds } from './moment.ts';
import { cellNumberKinds, numberKinds } from './number-reading.ts';

/** A number that is also valid JSON: it begins with a digit, and has no comma. */
const JSON_NUMBER = /^-?\d[^,]*$/;
/** The first character of a number, also of a phone number. */
const NUMERAL = /^[-+\d.,]/;
const UUID_TEXT = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Texts that may be dates: a digit, and something between the parts. */
const MAY_BE_DATE = /^(?=.{6,40}$)[\p{L}.]{0,10} ?\d.*[./ -]/u;
const NO_FORMATS: readonly string[] = [];

/** Words in the languages of the App. */
const WORDS: Readonly<Record<string, number>> = {
  ...{ true: 0, false: 0, yes: kind.YES, no: kind.NO, ja: kind.YES, nein: kind.NO },
  ...{ wahr: kind.YES, falsch: kind.NO },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An object or a list, and not a text, a number or a word in JSON. */
export function isComposite(text: string): boolean {
  return text[0] === '{' || text[0] === '[';
}

/** Reads the values of a column. */
export class ValueReader {
  readonly #decimal: string;
  readonly #isGiven: boolean;
  readonly #groups: RegExp | null;
  readonly #format: DateFormat | null;
  readonly #ofJson: boolean;
  /** The formats of the latest value. */
  formats: readonly string[] = NO_FORMATS;

  constructor(parameters: ImportParameters, field: string, ofJson: boolean) {
    const own = parameters.formats?.[field];
    const { decimal, thousands, dateFormat } = { ...parameters, ...own };
    this.#decimal = decimal ?? '.';
    this.#isGiven = decimal !== undefined || thousands !== undefined;
    const sign = thousands === ' ' ? '\\s' : thousands === '.' ? '\\.' : thousands;
    this.#groups =
      sign === undefined
        ? null
        : new RegExp(`(?<=^-?\\d{1,3}(?:${sign}\\d{3})*)${sign}(?=\\d{3})`, 'gu');
    const format = dateFormat === undefined ? null : new DateFormat(dateFormat);
    this.#format = format?.hasDate === true ? format : null;
    this.#ofJson = ofJson;
  }

  #number(text: string): number {
    if (!this.#isGiven) return cellNumberKinds(text);
    const plain = this.#groups === null ? text : text.replaceAll(this.#groups, '');
    if (this.#decimal === '.') return numberKinds(plain);
    return plain.includes('.') ? 0 : numberKinds(plain.replace(',', '.'));
  }

  #text(text: string): number {
    if (this.#format !== null) return momentKinds(this.#format.iso(text) ?? '');
    const moment = momentKinds(text) | (UUID_TEXT.test(text) ? kind.UUID : 0);
    if (moment === 0 && MAY_BE_DATE.test(text)) this.formats = dateFormats(text);
    return moment;
  }

  #cell(text: string): number {
    if (isComposite(text) || text[0] === '"') {
      return isJson(text) ? kind.JSON_VALUE | kind.TEXT : kind.TEXT;
    }
    const number = NUMERAL.test(text) ? this.#number(text) : 0;
    if ((number & kind.DECIMAL) !== 0) {
      return number | kind.TEXT | (JSON_NUMBER.test(text) ? kind.JSON_VALUE : 0);
    }
    if (text === 'true' || text === 'false') return kind.BOOLEAN | kind.TEXT | kind.JSON_VALUE;
    const word = text.length < 7 ? text.toLowerCase() : '';
    if (Object.hasOwn(WORDS, word)) return kind.BOOLEAN | kind.TEXT | (WORDS[word] ?? 0);
    return this.#text(text) | number | kind.TEXT;
  }

  #member(json: string): number {
    const [first = ''] = json;
    if (first === '"') {
      const text: unknown = JSON.parse(json);
      return (typeof text === 'string' ? this.#text(text) : 0) | kind.TEXT | kind.JSON_VALUE;
    }
    if (first === '{' || first === '[') return kind.JSON_VALUE;
    if (first === 't' || first === 'f') return kind.BOOLEAN | kind.JSON_VALUE;
    return numberKinds(json) | kind.JSON_VALUE;
  }

  /** The kinds of a value; sets `formats`. */
  kinds(value: string): number {
    this.formats = NO_FORMATS;
    return this.#ofJson ? this.#member(value) : this.#cell(value);
  }
}

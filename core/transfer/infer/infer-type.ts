/**
 * Infers the type of a column from its values: the narrowest type that nearly all of them have. The
 * others speak against it, and become faults of their rows.
 */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { orderOf } from './date-reading.ts';
import * as kind from './kinds.ts';
import { NOTATIONS, type NumberNotation } from './number-reading.ts';
import { isComposite, ValueReader } from './value-reading.ts';

/** The types that can be inferred. */
export type InferredType =
  | 'integer'
  | 'bigInteger'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'timestamp'
  | 'uuid'
  | 'json'
  | 'string'
  | 'text';

/** A value that speaks against the type of its column. */
export interface Misfit {
  readonly row: number;
  readonly value: string;
}

/** The notation of a column, where it differs from that of the file. */
export interface ColumnFormat extends NumberNotation {
  readonly dateFormat?: string;
}

/** The inferred type of a column. */
export interface Proposal {
  readonly type: InferredType;
  readonly format: ColumnFormat | null;
  /** The number of values without this type, and the first of them. */
  readonly misfits: number;
  readonly examples: readonly Misfit[];
  /** Formats that fit the same values; the column stays text until one is chosen. */
  readonly ambiguous: readonly string[];
}

/** The share of values that may lack the type of their column. */
const TOLERANCE = 0.02;
const EXAMPLES = 3;
const EXAMPLE_LENGTH = 64;
/** The length of a `string`. */
const STRING_MAX = 255;
/** The digits that always fit into an integer. */
const INTEGER_DIGITS = 9;
/** Names of columns whose digits identify something. */
const IDENTIFIERS =
  /(?:^|[^a-z])(?:phone|tele(?:fon|phone)?|tel|fax|mobile?|handy|zip|postal|postcode|plz|iban|isbn|ean)/i;
/** Values after which a column of texts is not examined further. */
const ENOUGH = 20_000;

interface Tally {
  readonly kinds: number;
  readonly formats: readonly string[];
  count: number;
  readonly examples: Misfit[];
}

type Choice = Pick<Proposal, 'type' | 'format' | 'ambiguous'> & {
  readonly fits: (tally: Pick<Tally, 'kinds' | 'formats'>) => boolean;
};

/** Processes the values of a column one after another, without storing them. */
export class TypeInference {
  readonly #ofJson: boolean;
  readonly #reader: ValueReader;
  readonly #zoned: boolean;
  readonly #tolerance: number;
  readonly #isIdentifier: boolean;
  readonly #tallies = new Map<number | string, Tally>();
  #count = 0;
  #longest = 0;
  #plain = 0;
  /** JSON cells are documents if one of them is an object or a list. */
  #hasComposite = false;
  #choice: Choice | null = null;

  /** @param ofJson the values are JSON texts, otherwise cells */
  constructor(ofJson: boolean, parameters: ImportParameters, field: string) {
    this.#ofJson = ofJson;
    this.#reader = new ValueReader(parameters, field, ofJson);
    this.#zoned = parameters.timezone !== undefined;
    this.#tolerance = parameters.typesTolerance ?? TOLERANCE;
    this.#isIdentifier = !ofJson && IDENTIFIERS.test(field);
  }

  add(value: string, row: number): void {
    this.#count += 1;
    if (value.length > this.#longest) this.#longest = value.length;
    this.#hasComposite ||= isComposite(value);
    // Most values are texts of no other kind, and remain so.
    if (this.#count > ENOUGH && this.#plain * 2 > this.#count) {
      this.#tally(kind.TEXT, [], value, row);
      return;
    }
    const kinds = this.#reader.kinds(value);
    if (kinds === kind.TEXT && this.#reader.formats.length === 0) this.#plain += 1;
    this.#tally(kinds, this.#reader.formats, value, row);
  }

  #tally(kinds: number, formats: readonly string[], value: string, row: number): void {
    const key = formats.length === 0 ? kinds : `${kinds} ${formats.join('|')}`;
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { kinds, formats, count: 0, examples: [] };
      this.#tallies.set(key, tally);
    }
    tally.count += 1;
    if (tally.examples.length < EXAMPLES) {
      tally.examples.push({ row, value: value.slice(0, EXAMPLE_LENGTH) });
    }
  }

  #hits(bit: number): number {
    let hits = 0;
    for (const { kinds, count } of this.#tallies.values()) if ((kinds & bit) !== 0) hits += count;
    return hits;
  }

  /** Whether nearly all values are among so many. */
  #suffices(hits: number): boolean {
    return hits > 0 && this.#count - hits <= Math.floor(this.#count * this.#tolerance);
  }

  #of(type: InferredType, bit: number, format: ColumnFormat | null = null): Choice {
    return { type, format, ambiguous: [], fits: ({ kinds }) => (kinds & bit) !== 0 };
  }

  #number(): Choice | null {
    if (this.#isIdentifier || this.#hits(kind.IDENTIFIER) > 0) return null;
    const usual = this.#hits(kind.DECIMAL);
    const others = NOTATIONS.map(([bit, format]) => ({ bit, format, hits: this.#hits(bit) }))
      .filter(({ bit }) => bit !== kind.GROUPED_BY_SPACE || this.#hits(kind.FRACTION) > 0)
      .toSorted((a, b) => b.hits - a.hits);
    const [best, next] = others;
    if (best === undefined || usual >= best.hits) {
      if (!this.#suffices(usual)) return null;
      if (this.#hits(kind.INTEGER) === usual) return this.#of('integer', kind.INTEGER);
      if (this.#hits(kind.BIG) === usual) return this.#of('bigInteger', kind.BIG);
      return this.#of('decimal', kind.DECIMAL);
    }
    if (!this.#suffices(best.hits)) return null;
    const grouped = others.find(({ bit }) => bit === kind.GROUPED_BY_COMMA);
    const isUnclear = best.bit === kind.COMMA && grouped?.hits === best.hits;
    if (isUnclear && next !== undefined)
      return { ...this.#words(), ambiguous: ['1,234.5', '1.234,5'] };
    if (this.#hits(kind.FRACTION) > 0) return this.#of('decimal', best.bit, best.format);
    const type = this.#longest <= INTEGER_DIGITS ? 'integer' : 'bigInteger';
    return this.#of(type, best.bit, best.format);
  }

  #boolean(): Choice | null {
    const [yes, no] = [this.#hits(kind.YES), this.#hits(kind.NO)];
    const isPair = yes === 0 && no === 0 ? true : yes > 0 && no > 0;
    return isPair && this.#suffices(this.#hits(kind.BOOLEAN))
      ? this.#of('boolean', kind.BOOLEAN)
      : null;
  }

  #moment(): Choice | null {
    if (this.#suffices(this.#hits(kind.DATE))) return this.#of('date', kind.DATE);
    const hits = this.#hits(kind.TIMESTAMP);
    if (!this.#suffices(hits)) return null;
    const isLocal = !this.#zoned && this.#hits(kind.DATE_TIME) === hits;
    return isLocal ? this.#of('dateTime', kind.DATE_TIME) : this.#of('timestamp', kind.TIMESTAMP);
  }

  #date(proven: ReadonlySet<string>): Choice | null {
    const hits = new Map<string, number>();
    for (const { formats, count } of this.#tallies.values()) {
      for (const format of formats) hits.set(format, (hits.get(format) ?? 0) + count);
    }
    const most = Math.max(0, ...hits.values());
    if (!this.#suffices(most)) return null;
    const all = [...hits].filter(([, count]) => count === most).map(([format]) => format);
    const fitting = all.filter((format) => proven.size === 1 && proven.has(orderOf(format) ?? ''));
    const [format, ...rest] = fitting.length === 1 ? fitting : all;
    if (format === undefined) return null;
    if (rest.length > 0) return { ...this.#words(), ambiguous: all };
    const type = !/[Hh]/.test(format) ? 'date' : this.#zoned ? 'timestamp' : 'dateTime';
    const fits = ({ formats }: Pick<Tally, 'formats'>) => formats.includes(format);
    return { type, format: { dateFormat: format }, ambiguous: [], fits };
  }

  #words(): Choice {
    const type = this.#count > 0 && this.#longest <= STRING_MAX ? 'string' : 'text';
    return { type, format: null, ambiguous: [], fits: () => true };
  }

  #document(): Choice {
    if (this.#ofJson) {
      if (this.#suffices(this.#hits(kind.TEXT))) {
        return { ...this.#words(), fits: ({ kinds }) => (kinds & kind.TEXT) !== 0 };
      }
      return this.#of('json', kind.JSON_VALUE);
    }
    const isJson = this.#hasComposite && this.#suffices(this.#hits(kind.JSON_VALUE));
    return isJson ? this.#of('json', kind.JSON_VALUE) : this.#words();
  }

  #choose(proven: ReadonlySet<string>): Choice {
    if (this.#count === 0) return this.#words();
    const isUuid = this.#suffices(this.#hits(kind.UUID));
    return (
      this.#number() ??
      this.#boolean() ??
      this.#moment() ??
      (isUuid ? this.#of('uuid', kind.UUID) : null) ??
      this.#date(proven) ??
      this.#document()
    );
  }

  /** Whether its dates prove that the day, or the month, comes first; null when they do not. */
  get order(): 'day' | 'month' | null {
    const { dateFormat } = this.#choose(new Set()).format ?? {};
    return dateFormat === undefined ? null : orderOf(dateFormat);
  }

  /** @param proven the orders of dates that other columns of the file prove */
  proposal(proven: ReadonlySet<string> = new Set()): Proposal {
    const choice = this.#choose(proven);
    this.#choice = choice;
    const misfits = [...this.#tallies.values()].filter((tally) => !choice.fits(tally));
    const examples = misfits.flatMap((tally) => tally.examples).toSorted((a, b) => a.row - b.row);
    const { type, format, ambiguous } = choice;
    const count = misfits.reduce((sum, tally) => sum + tally.count, 0);
    return { type, format, ambiguous, misfits: count, examples: examples.slice(0, EXAMPLES) };
  }

  /** Whether a value has the proposed type. */
  fits(value: string): boolean {
    const kinds = this.#reader.kinds(value);
    return this.#choice?.fits({ kinds, formats: this.#reader.formats }) ?? true;
  }
}

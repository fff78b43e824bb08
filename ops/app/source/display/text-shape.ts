/**
 * What the texts of a collection look like in a sample of its items. A column of type `text` may have
 * cities or articles; only its values tell whether one line is enough.
 */
import type { Field, Item } from '../data/schema-types.ts';

/** The texts of one field in the sample. */
export interface TextShape {
  /** Items with a text. */
  readonly filled: number;
  /** Different texts. */
  readonly distinct: number;
  /** Characters of the longest text. */
  readonly longest: number;
  readonly hasLineBreaks: boolean;
}

export type TextShapes = ReadonlyMap<string, TextShape>;

/** Nothing is known of the texts. */
export const NO_SHAPES: TextShapes = new Map();
/** A wide table is sampled in its first text columns. */
const MOST_FIELDS = 40;
/** Characters that a line of a list or a form has room for. */
const LINE = 80;
const TEXTS: ReadonlySet<string> = new Set(['string', 'text']);
/** Names of documents, of which a sample would take long to read. */
const DOCUMENT = /(^|_)(body|content|html|markdown|source|raw|payload|document)$/i;
/** Names of what is short, wherever it stands. */
const SHORT =
  /(^|_)(name|title|label|code|e_?mail|phone|fax|city|country|region|zip|postal_code|street|status|state|type|kind|category|slug|url|colou?r|currency|unit|sku|isbn)$/i;
/** At most so many values are the states of something, each of them this often or more. */
const MOST_STATES = 8;
const LEAST_REPEATS = 3;
/** Characters of the longest state. */
const LONGEST_STATE = 24;

/** The fields of a collection whose texts are sampled. */
export function sampledFields(fields: readonly Field[]): readonly string[] {
  return fields
    .filter(
      ({ field, type, meta, schema }) =>
        TEXTS.has(type) &&
        !(type === 'text' && DOCUMENT.test(field)) &&
        !meta?.special?.includes('conceal') &&
        !meta?.special?.includes('hash') &&
        !schema?.enum_values?.length,
    )
    .slice(0, MOST_FIELDS)
    .map(({ field }) => field);
}

/** The shapes of the fields in items that were read. */
export function textShapes(fields: readonly string[], items: readonly Item[]): TextShapes {
  const shapes = fields.map((field): [string, TextShape] => {
    const texts = items.flatMap((item) => {
      const value = item[field];
      return typeof value === 'string' && value !== '' ? [value] : [];
    });
    return [
      field,
      {
        filled: texts.length,
        distinct: new Set(texts).size,
        longest: Math.max(0, ...texts.map(({ length }) => length)),
        hasLineBreaks: texts.some((text) => text.trim().includes('\n')),
      },
    ];
  });
  return new Map(shapes);
}

/**
 * Whether the texts of a field fit into one line. Where no item has one, the column or its name says
 * so.
 */
export function isOneLine({ field, type, schema }: Field, shape?: TextShape): boolean {
  if (shape !== undefined && shape.filled > 0) return shape.longest <= LINE && !shape.hasLineBreaks;
  if (type === 'string' && (schema?.max_length ?? LINE + 1) <= LINE) return true;
  return SHORT.test(field);
}

/** Whether a text fits into one line. */
export function isLine(text: string): boolean {
  return text.length <= LINE && !text.includes('\n');
}

/** Whether the texts of a field are a few states that repeat, such as `draft` and `published`. */
export function isState(shape: TextShape | undefined): boolean {
  if (shape === undefined || shape.filled === 0) return false;
  const { filled, distinct, longest } = shape;
  return distinct <= MOST_STATES && filled >= distinct * LEAST_REPEATS && longest <= LONGEST_STATE;
}

/** A sentence in pieces: texts, names that stand out, and values that are shown as people know them. */
import type { Compared, Phrase } from './phrase.ts';

export type Piece =
  | string
  | { readonly name: string }
  | { readonly value: unknown; readonly compared: Compared };
export type Pieces = readonly Piece[];

export type Translate = (key: string, options?: Record<string, unknown>) => string;

/** A character of private use around the name of a parameter. */
const PLACE = /\uE000(\w+)\uE000/;

/** A text whose parameters are pieces. */
export function fill(
  translate: Translate,
  key: string,
  parts: Readonly<Record<string, Pieces>>,
): Pieces {
  const places = Object.fromEntries(
    Object.keys(parts).map((name) => [name, `\uE000${name}\uE000`]),
  );
  return translate(key, places)
    .split(PLACE)
    .flatMap((text, index) => (index % 2 === 1 ? (parts[text] ?? []) : text === '' ? [] : [text]));
}

/** Pieces one after the other with a text between. */
function joinPieces(parts: readonly Pieces[], between: string): Pieces {
  return parts.flatMap((part, index) => (index === 0 ? part : [between, ...part]));
}

/** Names as a list of the language: “a, b and c”. */
export function nameList(names: readonly string[], locale: string): Pieces {
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  return list
    .formatToParts(names)
    .map(({ type, value }) => (type === 'element' ? { name: value } : value));
}

/** Whether a phrase beside others needs brackets to be read in one way only. */
function isCompound(phrase: Phrase): boolean {
  if (phrase.kind === 'all' || phrase.kind === 'any') return phrase.members.length > 1;
  return phrase.kind === 'some' || phrase.kind === 'none';
}

function bracketed(phrase: Phrase, translate: Translate): Pieces {
  const said = phrasePieces(phrase, translate);
  return isCompound(phrase) ? ['(', ...said, ')'] : said;
}

/** A phrase in words. Brackets hold together what belongs together. */
export function phrasePieces(phrase: Phrase, translate: Translate): Pieces {
  switch (phrase.kind) {
    case 'raw':
      return [phrase.text];
    case 'all':
    case 'any': {
      if (phrase.members.length === 0) {
        return [translate(phrase.kind === 'all' ? 'sentence.always' : 'sentence.never')];
      }
      const between = translate(phrase.kind === 'all' ? 'sentence.and' : 'sentence.or');
      const parts = phrase.members.map((one) => bracketed(one, translate));
      return joinPieces(parts, ` ${between} `);
    }
    case 'some':
    case 'none': {
      const list = [{ name: phrase.names.join(' › ') }];
      const { inner } = phrase;
      const several = inner.kind === 'all' || inner.kind === 'any';
      const condition = phrasePieces(inner, translate);
      return fill(translate, `sentence.${phrase.kind}`, {
        list,
        condition: several && inner.members.length > 1 ? ['(', ...condition, ')'] : condition,
      });
    }
    case 'is': {
      const { names, counted, operator, values, compared } = phrase;
      const name = [{ name: names.join(' › ') }];
      const isRange = operator === '_between' || operator === '_nbetween';
      const between = isRange ? ` ${translate('sentence.and')} ` : ', ';
      const said = joinPieces(
        values.map((value) => [{ value, compared }]),
        between,
      );
      return [
        ...(counted ? fill(translate, 'sentence.countOf', { list: name }) : name),
        ` ${translate(`filter.operator${operator}`, { _: operator })}`,
        ...(said.length === 0 ? [] : [' ', ...said]),
      ];
    }
  }
}

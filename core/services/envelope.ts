/** The text of an item or a list, and the envelope that an API puts around it. */
import type { ValueBytes } from '#core/database/value-bytes.ts';

/** A text, or its bytes in UTF-8 as they came from PostgreSQL. */
export type EncodedText = string | ValueBytes;

/**
 * The result of a read: the text of an item or a list, and the text of `meta` when it was
 * requested.
 */
export interface ReadData {
  readonly data: EncodedText;
  readonly meta: string | null;
}

/** How an API makes an answer from data. */
export interface Envelope {
  /** Distinguishes answers with this envelope from other answers in the response cache. */
  readonly name: string;
  around(data: ReadData): EncodedText;
}

/** No envelope. */
export const NO_ENVELOPE: Envelope = Object.freeze({
  name: '',
  around: ({ data }: ReadData) => data,
});

/** Adds text before and after data. */
export function wrapText(before: string, data: EncodedText, behind: string): EncodedText {
  if (typeof data === 'string') return before + data + behind;
  data.surround(before, behind);
  return data;
}

/** The data in the text of an item. */
export function itemData(text: EncodedText): ReadData {
  return { data: text, meta: null };
}

const LIST = '[';
const LINE_FEED = '\n';

/** The data in the text of a list; a line with its `meta` can come before it. */
export function listData(text: EncodedText): ReadData {
  if (typeof text === 'string') {
    if (text.startsWith(LIST)) return { data: text, meta: null };
    const end = text.indexOf(LINE_FEED);
    return { data: text.slice(end + 1), meta: text.slice(0, end) };
  }
  if (text.first === LIST.charCodeAt(0)) return { data: text, meta: null };
  const meta = text.cut(LINE_FEED.charCodeAt(0));
  return { data: text, meta };
}

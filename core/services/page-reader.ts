/**
 * Reads pages: as one text when rows are small, otherwise row by row, so that PostgreSQL never
 * holds more than one row. The caller can stream a page that is too long for one text. Large items
 * have a separate statement.
 */
import { LRUCache } from 'lru-cache';
import { isLargePage } from '#core/database/failure.ts';
import type { Reader } from '#core/database/reader.ts';
import type { Statement } from '#core/database/sql.ts';
import type { EncodedText } from './envelope.ts';

/** Maximum characters of one text made from rows. */
const TEXT_LENGTH = 16_777_216;
/** How many statements are remembered to have large rows, and for how long (ms). */
const MAX_STATEMENTS = 1_000;
const REMEMBERED_MS = 60_000;

/** The page is too long for one text. */
export class PageTooLongError extends Error {
  constructor() {
    super('The page is too long for one text.');
    this.name = 'LongPageError';
  }
}

/** The statement that reads a page row by row. */
export interface RowStatement {
  readonly statement: Statement;
  /** The first row is the text of `meta`. */
  readonly withMeta: boolean;
}

export class PageReader {
  readonly #reader: Pick<Reader, 'value' | 'stream'>;
  readonly #large = new LRUCache<string, true>({ max: MAX_STATEMENTS, ttl: REMEMBERED_MS });

  constructor(reader: Pick<Reader, 'value' | 'stream'>) {
    this.#reader = reader;
  }

  /**
   * The text `[…]` of a page. When `meta` is requested, its text and a line feed come first.
   * @param rows the same query, row by row
   * @throws PageTooLongError
   */
  async text(
    page: Statement,
    rows: () => RowStatement,
    holder: string,
    signal: AbortSignal | undefined,
  ): Promise<EncodedText> {
    if (!this.#large.has(page.text)) {
      try {
        return (await this.#reader.value(page, signal, holder)) ?? '[]';
      } catch (error) {
        if (!isLargePage(error)) throw error;
        this.#large.set(page.text, true);
      }
    }
    return this.#joined(rows(), holder, signal);
  }

  /**
   * The text of an item; null without an item.
   * @param whole the same query, for an item of any size
   */
  async item(
    statement: Statement,
    whole: () => Promise<Statement>,
    holder: string,
    signal: AbortSignal | undefined,
  ): Promise<EncodedText | null> {
    if (!this.#large.has(statement.text)) {
      try {
        const text = await this.#reader.value(statement, signal, holder);
        if (text?.length !== 0) return text;
      } catch (error) {
        if (!isLargePage(error)) throw error;
      }
      this.#large.set(statement.text, true);
    }
    return this.#reader.value(await whole(), signal, holder);
  }

  async #joined(
    { statement, withMeta }: RowStatement,
    holder: string,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const texts: string[] = [];
    let length = 0;
    for await (const batch of this.#reader.stream(statement, holder, signal, TEXT_LENGTH)) {
      for (const text of batch) length += text.length;
      if (length > TEXT_LENGTH) throw new PageTooLongError();
      texts.push(...batch);
    }
    const meta = withMeta ? `${texts.shift()}\n` : '';
    return `${meta}[${texts.join(',')}]`;
  }
}

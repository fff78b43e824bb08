/**
 * Reads pages: as one text where their rows are small, else row by row, so that PostgreSQL never
 * holds more than a row of them. A long one is left to whoever can answer with a stream.
 */
import { LRUCache } from 'lru-cache';
import { isLargePage } from '#core/database/failure.ts';
import type { Reader } from '#core/database/reader.ts';
import type { Statement } from '#core/database/sql.ts';

/** Characters up to which a page that is read row by row becomes one text. */
const TEXT_LENGTH = 16_777_216;
/** Statements of which it is remembered, for so long (ms), that their rows are large. */
const MAX_STATEMENTS = 1_000;
const REMEMBERED_MS = 60_000;

/** A page is too long for one text. */
export class LongPageError extends Error {
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
  readonly #reader: Pick<Reader, 'text' | 'stream'>;
  readonly #large = new LRUCache<string, true>({ max: MAX_STATEMENTS, ttl: REMEMBERED_MS });

  constructor(reader: Pick<Reader, 'text' | 'stream'>) {
    this.#reader = reader;
  }

  /**
   * The text `[…]` of a page; before it, where `meta` is asked, its text and a line feed.
   * @param rows the same question, row by row
   * @throws LongPageError
   */
  async text(
    page: Statement,
    rows: () => RowStatement,
    holder: string,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    if (!this.#large.has(page.text)) {
      try {
        return (await this.#reader.text(page, signal)) ?? '[]';
      } catch (error) {
        if (!isLargePage(error)) throw error;
        this.#large.set(page.text, true);
      }
    }
    return this.#joined(rows(), holder, signal);
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
      if (length > TEXT_LENGTH) throw new LongPageError();
      texts.push(...batch);
    }
    const meta = withMeta ? `${texts.shift()}\n` : '';
    return `${meta}[${texts.join(',')}]`;
  }
}

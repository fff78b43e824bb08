/**
 * Matches regular expressions that come from the database. The time of a pattern may double with
 * each character of the text. Matching therefore runs with a timeout, and all matching of one
 * request shares a limit.
 */
import { type Context, createContext } from 'node:vm';
import { processorTime, runBounded } from './bounded-run.ts';

/** The maximum length of a text; a longer one does not match. */
const MAX_TEXT = 10_000;
/** The maximum length of a pattern; a longer one matches no text. */
const MAX_PATTERN = 1_000;
/** Processor time for all matching of one request, in milliseconds. */
const BUDGET_MS = 200;

/** A pattern is written bare or as `/pattern/flags`. */
function partsOf(pattern: string): { readonly source: string; readonly flags: string } {
  const [, source = pattern, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  return { source, flags };
}

/** Whether a text is a valid pattern. */
export function isPattern(text: string): boolean {
  if (text === '' || text.length > MAX_PATTERN) return false;
  const { source, flags } = partsOf(text);
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

export class Matcher {
  readonly #state = Object.assign(Object.create(null), { source: '', flags: '', text: '' });
  #context: Context | null = null;
  #left = BUDGET_MS;

  /**
   * Whether a text matches a pattern, written bare or as `/pattern/flags`. Also false for an
   * invalid pattern, and for every match after the time is used up.
   */
  matches(pattern: string, text: string): boolean {
    if (text.length > MAX_TEXT || pattern.length > MAX_PATTERN || this.#left <= 0) return false;
    Object.assign(this.#state, { ...partsOf(pattern), text });
    this.#context ??= createContext(this.#state);
    const start = processorTime();
    try {
      const code = 'new RegExp(source, flags).test(text)';
      return runBounded(code, this.#context, this.#left) === true;
    } catch {
      return false;
    } finally {
      this.#left -= processorTime() - start;
    }
  }
}

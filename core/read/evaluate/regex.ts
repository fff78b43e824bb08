/**
 * Matches regular expressions that come from the database. A pattern may need a time that doubles
 * with each character of the text, so matching runs where it can be stopped, and all of one
 * request's matching together has a limit.
 */
import { type Context, createContext } from 'node:vm';
import { processorTime, runBounded } from './bounded-run.ts';

/** Longest text that is matched; a longer one does not match. */
const MAX_TEXT = 10_000;
/** Longest pattern that is tried; a longer one matches nothing. */
const MAX_PATTERN = 1_000;
/** Processor time for all matching of one request, in milliseconds. */
const BUDGET_MS = 200;

/** A pattern is written bare or as `/pattern/flags`. */
function partsOf(pattern: string): { readonly source: string; readonly flags: string } {
  const [, source = pattern, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  return { source, flags };
}

/** Whether a text is a pattern that can be read. */
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
   * Whether a text matches a pattern, written bare or as `/pattern/flags`. False as well for a
   * pattern that cannot be read, and for whatever comes after the time is used up.
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

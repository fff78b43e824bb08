/**
 * Names each attempt to import, so that it is done once: what is sent again because no answer came, or
 * because the page was loaded again meanwhile, finds the job of the first time.
 */
import { newKey } from '../data/idempotency.ts';

const PREFIX = 'sluice.attempt.';

/** @param work says what is sent; equal for the same file with the same options */
export function attemptKey(work: string): string {
  const place = PREFIX + work;
  const known = sessionStorage.getItem(place);
  if (known !== null) return known;
  const key = newKey();
  sessionStorage.setItem(place, key);
  return key;
}

/** The job is known: who sends the same from now on wants it to be done again. */
export function endAttempt(work: string): void {
  sessionStorage.removeItem(PREFIX + work);
}

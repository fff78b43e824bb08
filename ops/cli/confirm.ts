/** Asks the person at the terminal. */
import { createInterface } from 'node:readline/promises';
import { SetupError } from '#core/system/setup-error.ts';

/**
 * Asks a question that is answered by yes or no; anything else is no.
 * @throws {SetupError} when nobody is there to answer
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new SetupError('Nobody can be asked here: say --yes, or look first with --dry-run');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}

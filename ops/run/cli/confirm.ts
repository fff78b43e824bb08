/** Requests confirmations from the user at the terminal. */
import { createInterface } from 'node:readline/promises';
import { SetupError } from '#core/model/system/setup-error.ts';

/**
 * Asks a yes-or-no question; any answer other than yes means no.
 * @throws {SetupError} without a terminal
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new SetupError(
      'There is no terminal to ask for confirmation: use --yes, or check first with --dry-run',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}

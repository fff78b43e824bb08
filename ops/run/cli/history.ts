/**
 * The command that deletes old history. It works directly on the database, because no request can
 * delete history.
 */
import type { Command } from './command.ts';

export const PRUNE_HISTORY: Command = {
  words: ['history', 'prune'],
  file: 'none',
  meaning:
    'Delete old history, in small transactions beside the running installation.\n' +
    'Works on DATABASE_URL, or on the embedded database of the Sluice that runs on DATA_DIR. Ctrl-C\n' +
    'ends it after the transaction that runs; run it again for the rest.',
  options: [
    { name: 'older-than', value: 'AGE', meaning: 'the age of what goes, such as 90d; required' },
    { name: 'collection', value: 'NAME', meaning: 'only the history of this collection' },
    { name: 'keep-latest', meaning: 'keep the latest revision of each item' },
    { name: 'dry-run', meaning: 'delete nothing, and print how much would go' },
  ],
  run: async (line, context) => (await import('./run-prune.ts')).runPrune(line, context),
};

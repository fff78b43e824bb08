/** The command that migrates the system tables without starting a server. */
import type { Command } from './command.ts';

export const MIGRATE: Command = {
  words: ['migrate'],
  file: 'none',
  meaning:
    'Migrate the system tables to this release, and start nothing.\n' +
    'Works on DATABASE_URL, or on the embedded database while nothing runs on DATA_DIR. npm start\n' +
    'migrates too; use this as a separate step, with a role that has more rights. One transaction:\n' +
    'all or nothing. With --dry-run the exit code is 1 when there is something to do.',
  options: [{ name: 'dry-run', meaning: 'run it, roll it back, and print what ran' }],
  run: async (line, context) => (await import('./run-migrate.ts')).runMigrate(line, context),
};

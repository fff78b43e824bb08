/** The command that migrates the system tables and starts nothing. */
import { resolve } from 'node:path';
import type { Config } from '#core/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { prepareQueueTables } from '#core/jobs/bullmq.ts';
import { createLog } from '#core/log/log.ts';
import { migrate } from '#core/system/migrate.ts';
import { RELEASE } from '#core/system/release.ts';
import { makeDataDir } from '#ops/supervisor/data-dir.ts';
import { lockFolder } from '#ops/supervisor/data-dir-lock.ts';
import { openDatabase } from '#ops/supervisor/database.ts';
import type { Command, CommandArguments, Context } from './command.ts';

const DONE = 0;
const DIFFERS = 1;
const STOP_WITHIN_MS = 10_000;

/** Creates the tables of the queue when it is on PostgreSQL. */
async function migrateQueue(config: Config, url: string): Promise<void> {
  if (config.REDIS_URL !== undefined) return;
  const log = createLog(config, 'migrate');
  const pool = createPool(config, url, log, { name: 'migrate', max: 1, statementTimeout: 0 });
  try {
    await prepareQueueTables({ kind: 'postgres', pool });
  } finally {
    await pool.end();
  }
}

function tell(applied: readonly string[], dry: boolean): void {
  if (applied.length === 0) {
    console.log(`The system tables are those of release ${RELEASE}, or of a later one.`);
    return;
  }
  console.log(dry ? 'Migrations that would run, and succeeded in a trial:' : 'Done:');
  for (const name of applied) console.log(`  ${name}`);
}

async function run(line: CommandArguments, { config, signal }: Context): Promise<number> {
  const dry = line.has('dry-run');
  const dataDir = resolve(config.DATA_DIR);
  const embedded = config.DATABASE_URL === undefined;
  makeDataDir(dataDir);
  const lock = embedded ? await lockFolder(dataDir) : null;
  try {
    const database = await openDatabase(config, {
      dataDir,
      report: (text) => console.error(text),
      log: createLog(config, 'migrate'),
      stop: signal,
      waits: false,
    });
    try {
      const applied = await migrate(config, database.directUrl, !dry);
      if (!dry) await migrateQueue(config, database.url);
      tell(applied, dry);
      return dry && applied.length > 0 ? DIFFERS : DONE;
    } finally {
      await database.stop(STOP_WITHIN_MS);
    }
  } finally {
    lock?.release();
  }
}

export const MIGRATE: Command = {
  words: ['migrate'],
  file: 'none',
  meaning:
    'Migrate the system tables to this release, and start nothing.\n' +
    'Works on DATABASE_URL, or on the embedded database while nothing runs on DATA_DIR. npm start\n' +
    'migrates too; use this as a separate step, with a role that has more rights. One transaction:\n' +
    'all or nothing. With --dry-run the exit code is 1 when there is something to do.',
  options: [{ name: 'dry-run', meaning: 'run it, roll it back, and print what ran' }],
  run,
};

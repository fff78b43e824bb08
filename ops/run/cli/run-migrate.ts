/** The logic of `migrate`, in a separate module because other commands do not need its imports. */
import { resolve } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';
import { createLog } from '#core/base/log/log.ts';
import { createPool } from '#core/database/pool.ts';
import { prepareQueueTables } from '#core/jobs/bullmq.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { makeDataDir } from '#ops/run/supervisor/data-dir.ts';
import { lockFolder } from '#ops/run/supervisor/data-dir-lock.ts';
import { openDatabase } from '#ops/run/supervisor/database.ts';
import type { CommandArguments, Context } from './command.ts';

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

/** Migrates the system tables and those of the queue, or performs a dry run. */
export async function runMigrate(
  line: CommandArguments,
  { config, signal }: Context,
): Promise<number> {
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

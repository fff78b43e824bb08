/**
 * The logic of `history prune`, in a separate module because other commands do not need its
 * imports.
 */
import { resolve } from 'node:path';
import * as v from 'valibot';
import { duration } from '#core/base/config/variable.ts';
import type { Config } from '#core/base/config/variables.ts';
import { createLog } from '#core/base/log/log.ts';
import { createPool } from '#core/database/pool.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import {
  countOldHistory,
  removeActivities,
  removeRevisions,
} from '#core/write/history/retention.ts';
import { embeddedUrl } from '#ops/run/demo/find-embedded-database.ts';
import { checkPostgres } from '#ops/run/supervisor/wait-for-servers.ts';
import type { CommandArguments, Context } from './command.ts';

const DONE = 0;
/** The pause (ms) between two lines of progress. */
const TELL_MS = 1_000;

interface Counts {
  readonly revisions: number;
  readonly activities: number;
}

function inWords({ revisions, activities }: Counts): string {
  const count = (value: number, one: string, more: string) =>
    `${value.toLocaleString('en')} ${value === 1 ? one : more}`;
  return `${count(revisions, 'revision', 'revisions')} and ${count(activities, 'activity', 'activities')}`;
}

/** @throws {SetupError} when the age is missing or invalid */
function ageOf(line: CommandArguments): number {
  const text = line.value('older-than');
  if (text === null) throw new SetupError('--older-than is missing: an age, such as 90d.');
  const parsed = v.safeParse(duration, text);
  if (parsed.success) return parsed.output;
  throw new SetupError(`--older-than ${parsed.issues[0].message}.`);
}

function databaseUrl(config: Config): string {
  return config.DATABASE_DIRECT_URL ?? config.DATABASE_URL ?? embeddedUrl(resolve(config.DATA_DIR));
}

/** Reports progress on the standard error, at most once a second. */
function reporter(signal: AbortSignal) {
  let told = performance.now();
  return (counts: Counts): boolean => {
    if (performance.now() - told > TELL_MS) {
      told = performance.now();
      console.error(`${inWords(counts)} so far`);
    }
    return !signal.aborted;
  };
}

/** Removes revisions and activities that are older than the given age, or counts them. */
export async function runPrune(
  line: CommandArguments,
  { config, signal }: Context,
): Promise<number> {
  const age = ageOf(line);
  const url = databaseUrl(config);
  await checkPostgres('DATABASE_URL', url);
  const log = createLog(config, 'history');
  const connections = createPool(config, url, log, {
    name: 'history',
    max: 1,
    statementTimeout: 0,
  });
  const old = {
    connections,
    schema: systemSchema(config),
    before: new Date(Date.now() - age),
    collection: line.value('collection'),
    keepLatest: line.has('keep-latest'),
  };
  try {
    if (line.has('dry-run')) {
      console.log(`Would remove ${inWords(await countOldHistory(old))}.`);
      return DONE;
    }
    const goesOn = reporter(signal);
    const revisions = await removeRevisions({
      ...old,
      goesOn: (removed) => goesOn({ revisions: removed, activities: 0 }),
    });
    const activities = await removeActivities({
      ...old,
      goesOn: (removed) => goesOn({ revisions, activities: removed }),
    });
    console.log(`Removed ${inWords({ revisions, activities })}.`);
    signal.throwIfAborted();
    return DONE;
  } finally {
    await connections.end();
  }
}

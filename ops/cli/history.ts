/**
 * The command that deletes old history. It works on the database itself: no request can write history.
 */
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { Config } from '#core/config/config.ts';
import { duration } from '#core/config/variable.ts';
import { createPool } from '#core/database/pool.ts';
import { countOldHistory, removeActivities, removeRevisions } from '#core/history/retention.ts';
import { createLog } from '#core/log/log.ts';
import { SetupError } from '#core/system/setup-error.ts';
import { systemSchema } from '#core/system/system-table.ts';
import { embeddedUrl } from '#ops/demo/find-embedded-database.ts';
import { checkPostgres } from '#ops/supervisor/wait-for-servers.ts';
import type { Command, CommandArguments, Context } from './command.ts';

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

/** @throws {SetupError} when the line has no age, or one that is none */
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

async function run(line: CommandArguments, { config, signal }: Context): Promise<number> {
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
  run,
};

/**
 * `npm run sluice -- COMMAND`: works on an installation, over HTTP with an administrator's token.
 */
import { ConfigError, loadConfig } from '#core/config/config.ts';
import { SetupError } from '#core/system/setup-error.ts';
import { checkNode } from '#ops/supervisor/run-supervisor.ts';
import { listenForInterrupt } from '#ops/supervisor/stop-signal.ts';
import { findCommand, helpOf, helpOfAll, parseArguments } from './command.ts';
import { PRUNE_HISTORY } from './history.ts';
import { openInstallation } from './installation.ts';
import { JOB_COMMANDS } from './jobs.ts';
import { MIGRATE } from './migrate.ts';
import { SCHEMA_COMMANDS } from './schema.ts';
import { TYPES } from './types.ts';
import { USER_COMMANDS } from './users.ts';

const COMMANDS = [
  ...SCHEMA_COMMANDS,
  ...JOB_COMMANDS,
  ...USER_COMMANDS,
  TYPES,
  PRUNE_HISTORY,
  MIGRATE,
];
const FAILED = 2;
/** The exit code of a process that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  const found = findCommand(COMMANDS, words);
  if (found === null) {
    const wantsHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
    if (!wantsHelp)
      throw new SetupError(`There is no command ${words.join(' ')}. See: npm run sluice -- --help`);
    console.log(helpOfAll(COMMANDS));
    return 0;
  }
  const { command, rest } = found;
  const line = parseArguments(command, rest);
  if (line.has('help')) {
    console.log(helpOf(command));
    return 0;
  }
  const config = loadConfig();
  return command.run(line, {
    config,
    signal,
    open: (url) => openInstallation(config, url, signal),
  });
}

async function main(): Promise<number> {
  const { stop } = listenForInterrupt();
  try {
    checkNode(process.versions.node);
    return await run(process.argv.slice(2), stop);
  } catch (error) {
    if (stop.aborted) return EXIT_INTERRUPTED;
    const expected = error instanceof SetupError || error instanceof ConfigError;
    console.error(expected ? error.message : error);
    return FAILED;
  }
}

process.exitCode = await main();

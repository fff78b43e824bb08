/**
 * `npm run sluice -- COMMAND`: runs a command on an installation, over HTTP with an administrator's
 * token.
 */
import { ConfigError, loadConfig } from '#core/base/config/config.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { checkNode } from '#ops/run/supervisor/check-node.ts';
import { listenForInterrupt } from '#ops/run/supervisor/stop-signal.ts';
import { commandsOf, findCommand, helpOf, helpOfAll, parseArguments } from './command.ts';
import { PRUNE_HISTORY } from './history.ts';
import { openInstallation } from './installation.ts';
import { JOB_COMMANDS } from './jobs.ts';
import { MIGRATE } from './migrate.ts';
import { SCHEMA_COMMANDS } from './schema.ts';
import { TRANSFER_COMMANDS } from './transfer.ts';
import { TYPES } from './types.ts';
import { USER_COMMANDS } from './users.ts';

const COMMANDS = [
  ...SCHEMA_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...JOB_COMMANDS,
  ...USER_COMMANDS,
  TYPES,
  PRUNE_HISTORY,
  MIGRATE,
];
const HELP_OPTIONS: ReadonlySet<string> = new Set(['--help', '-h', 'help']);
const FAILED = 2;
/** The exit code of a process that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  const found = findCommand(COMMANDS, words);
  if (found === null) {
    // The words of a group, such as `jobs`, list its commands.
    const group = commandsOf(COMMANDS, words[0]);
    const isGroup = group.length > 0 && words.slice(1).every((word) => word.startsWith('-'));
    if (words.length > 0 && !HELP_OPTIONS.has(words[0] ?? '') && !isGroup) {
      const hint = group.length > 0 ? helpOfAll(group) : 'See: npm run sluice -- --help';
      throw new SetupError(`There is no command ${words.join(' ')}.\n${hint}`);
    }
    console.log(helpOfAll(isGroup ? group : COMMANDS));
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

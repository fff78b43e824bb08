/** Parses the command line: commands with their options, and their help. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import type { Api } from '#ops/run/demo/api.ts';

/** An option without an argument has no `value`. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The name of its argument in the help. */
  readonly value?: string;
  readonly meaning: string;
}

/** The arguments of a command on the command line. */
export interface CommandArguments {
  readonly file: string | null;
  readonly has: (option: string) => boolean;
  readonly value: (option: string) => string | null;
}

/** The context of a command. */
export interface Context {
  readonly config: Config;
  /** Opens the installation at a URL, or the default one. */
  readonly open: (url: string | null) => Promise<Api>;
  readonly signal: AbortSignal;
}

export interface Command {
  readonly words: readonly string[];
  /** Whether the command accepts a file name. */
  readonly file: 'required' | 'optional' | 'none';
  /** The argument that the command accepts instead of a file, in capitals. */
  readonly argument?: string;
  readonly meaning: string;
  readonly options: readonly Option[];
  /** @returns the exit code */
  readonly run: (line: CommandArguments, context: Context) => Promise<number>;
}

/** Options of every command that works over HTTP. */
export const URL_OPTION: Option = {
  name: 'url',
  value: 'URL',
  meaning: 'where the installation answers; else SLUICE_URL',
};
/** Options of every command. */
const HELP: Option = { name: 'help', short: 'h', meaning: 'show this' };

const PROGRAM = 'npm run sluice --';
const FILE_IN_USAGE = { required: ['FILE'], optional: ['[FILE]'], none: [] } as const;

function usage({ words, file, argument = 'FILE', options }: Command): string {
  const given = options.map(
    ({ name, value }) => `[--${name}${value === undefined ? '' : ` ${value}`}]`,
  );
  return [
    PROGRAM,
    ...words,
    ...FILE_IN_USAGE[file].map((text) => text.replace('FILE', argument)),
    ...given,
  ].join(' ');
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const lines = [...command.options, HELP].map(({ name, short, value, meaning }) => {
    const flag = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${flag.padEnd(24)}${meaning}`;
  });
  return `${usage(command)}\n\n${command.meaning}\n\n${lines.join('\n')}\n`;
}

/** The help for all commands. */
export function helpOfAll(commands: readonly Command[]): string {
  const lines = commands.map((command) => {
    const [first = ''] = command.meaning.split('\n');
    return `  ${command.words.join(' ').padEnd(18)}${first}`;
  });
  return (
    `${PROGRAM} COMMAND [--help]\n\n${lines.join('\n')}\n\n` +
    'The token of an administrator comes from ADMIN_TOKEN, else from the file of the first start in\n' +
    'DATA_DIR. Exit codes: 0 done, or no difference; 1 a difference, or not confirmed;\n' +
    '2 failed.\n'
  );
}

function configOf(options: readonly Option[]): ParseArgsOptionsConfig {
  return Object.fromEntries(
    options.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

/** The command at the beginning of the line, and the arguments after it. */
export function findCommand(commands: readonly Command[], line: readonly string[]) {
  for (const command of commands) {
    const { words } = command;
    if (words.every((word, index) => line[index] === word)) {
      return { command, rest: line.slice(words.length) };
    }
  }
  return null;
}

/** The commands that begin with a word, such as those of `jobs`. */
export function commandsOf(commands: readonly Command[], word: string | undefined) {
  return commands.filter(({ words }) => words.length > 1 && words[0] === word);
}

/**
 * Parses the arguments of a command.
 * @throws {SetupError} for unknown options, and for missing or superfluous files
 */
export function parseArguments(command: Command, rest: readonly string[]): CommandArguments {
  const hint = `See: ${PROGRAM} ${command.words.join(' ')} --help`;
  const parsed = (() => {
    try {
      const options = configOf([...command.options, HELP]);
      return parseArgs({ args: [...rest], options, allowPositionals: true });
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
      throw new SetupError(`${reason.replace(/\.$/, '')}.\n${hint}`);
    }
  })();
  const { values, positionals } = parsed;
  const [file = null, ...more] = positionals;
  if (file !== null && command.file === 'none') {
    const what = command.argument === undefined ? 'file' : 'argument';
    throw new SetupError(`This command takes no ${what}: ${positionals.join(', ')}.\n${hint}`);
  }
  if (more.length > 0)
    throw new SetupError(
      `This command takes one ${command.argument ?? 'file'}: ${positionals.join(', ')}.\n${hint}`,
    );
  if (file === null && command.file === 'required' && values.help !== true) {
    throw new SetupError(`The ${command.argument ?? 'file'} is missing.\n${hint}`);
  }
  return {
    file,
    has: (name) => values[name] === true,
    value: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : null;
    },
  };
}

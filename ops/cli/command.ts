/** What may stand on the command line: commands with their options, and the help about them. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { SetupError } from '#core/system/setup-error.ts';

/** An option without an argument has no `value`. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** How its argument is called in the help. */
  readonly value?: string;
  readonly meaning: string;
}

/** What a command finds on its line. */
export interface Line {
  readonly file: string | null;
  readonly has: (option: string) => boolean;
  readonly value: (option: string) => string | null;
}

export interface Command<Context> {
  readonly words: readonly string[];
  /** Whether a file is named after the words. */
  readonly file: 'required' | 'optional';
  readonly meaning: string;
  readonly options: readonly Option[];
  /** @returns the exit code */
  readonly run: (line: Line, context: Context) => Promise<number>;
}

/** Of every command. */
const COMMON: readonly Option[] = [
  { name: 'url', value: 'URL', meaning: 'where the installation answers; else SLUICE_URL' },
  { name: 'help', short: 'h', meaning: 'show this' },
];

const PROGRAM = 'npm run sluice --';

function usage<C>({ words, file, options }: Command<C>): string {
  const given = options.map(
    ({ name, value }) => `[--${name}${value === undefined ? '' : ` ${value}`}]`,
  );
  return [PROGRAM, ...words, file === 'required' ? 'FILE' : '[FILE]', ...given].join(' ');
}

/** The help of one command. */
export function helpOf<C>(command: Command<C>): string {
  const lines = [...command.options, ...COMMON].map(({ name, short, value, meaning }) => {
    const flag = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${flag.padEnd(24)}${meaning}`;
  });
  return `${usage(command)}\n\n${command.meaning}\n\n${lines.join('\n')}\n`;
}

/** The help about all commands. */
export function helpOfAll<C>(commands: readonly Command<C>[]): string {
  const lines = commands.map((command) => {
    const [first = ''] = command.meaning.split('\n');
    return `  ${command.words.join(' ').padEnd(18)}${first}`;
  });
  return (
    `${PROGRAM} COMMAND [--help]\n\n${lines.join('\n')}\n\n` +
    'The token of an admin is taken from ADMIN_TOKEN, else from what the first start kept in\n' +
    'DATA_DIR. Exit codes: 0 done, or nothing differs; 1 something differs, or was not confirmed;\n' +
    '2 it went wrong.\n'
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

/** The command whose words the line begins with, and what follows them. */
export function findCommand<C>(commands: readonly Command<C>[], line: readonly string[]) {
  for (const command of commands) {
    const { words } = command;
    if (words.every((word, index) => line[index] === word)) {
      return { command, rest: line.slice(words.length) };
    }
  }
  return null;
}

/**
 * Reads what follows the words of a command.
 * @throws {SetupError} for options that it does not have, and files too many or too few
 */
export function parseLine<C>(command: Command<C>, rest: readonly string[]): Line {
  const hint = `See: ${PROGRAM} ${command.words.join(' ')} --help`;
  const parsed = (() => {
    try {
      const options = configOf([...command.options, ...COMMON]);
      return parseArgs({ args: [...rest], options, allowPositionals: true });
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
      throw new SetupError(`${reason.replace(/\.$/, '')}.\n${hint}`);
    }
  })();
  const { values, positionals } = parsed;
  const [file = null, ...more] = positionals;
  if (more.length > 0)
    throw new SetupError(`One file is enough: ${positionals.join(', ')}.\n${hint}`);
  if (file === null && command.file === 'required' && values.help !== true) {
    throw new SetupError(`The file is missing.\n${hint}`);
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

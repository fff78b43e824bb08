/** Runs the command: reads a schema, and writes its types to a file or to the standard output. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CommandError, type Description, readSnapshot } from './description.ts';
import { askServer, readServer } from './server.ts';
import { writeTypes } from './write-types.ts';
import { writeWhole } from './write-whole.ts';

const HELP = `sluice-client types --url URL [--token TOKEN] [--output FILE]
sluice-client types --snapshot FILE [--output FILE]

Writes the types of a schema: of what the token may read on the server at the URL, or of all that
a snapshot in JSON has.

  --url URL        where the API answers; else SLUICE_URL
  --token TOKEN    a static token or an access token; else SLUICE_TOKEN
  --snapshot FILE  a snapshot in JSON instead of a server
  --output FILE    the file to write; else the standard output
  --check          writes nothing; exit code 1 when the file is not up to date
  --name NAME      the name of the type of the whole schema; Schema
  --module NAME    the module that the types are written with; @sluice/client
  -h, --help       show this

Exit codes: 0 done, or up to date; 1 not up to date; 2 failed.
`;

const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  snapshot: { type: 'string' },
  output: { type: 'string' },
  check: { type: 'boolean' },
  name: { type: 'string' },
  module: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Line {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly output?: string | undefined;
  readonly check?: boolean | undefined;
  readonly name?: string | undefined;
  readonly module?: string | undefined;
  readonly help?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

function parse(line: readonly string[]): Line {
  try {
    const { values, positionals } = parseArgs({
      args: [...line],
      options: OPTIONS,
      allowPositionals: true,
    });
    if (values.help === true) return values;
    const [command, ...more] = positionals;
    if (command === 'types' && more.length === 0) return values;
    throw new Error(
      command === 'types' ? `superfluous: ${more.join(' ')}` : 'the only command is: types',
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${reason}\nSee --help.`);
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${String(error)}`);
  }
}

async function describe(line: Line, environment: Environment): Promise<Description> {
  const { snapshot, url = environment.SLUICE_URL } = line;
  if (snapshot !== undefined) {
    if (line.url !== undefined) throw new CommandError('--url and --snapshot exclude each other.');
    const text = await contentOf(snapshot);
    try {
      return readSnapshot(JSON.parse(text));
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(
        `${snapshot} is not JSON. Take the snapshot as JSON: GET /schema/snapshot?export=json.`,
      );
    }
  }
  if (url === undefined || url === '') throw new CommandError('--url or --snapshot is missing.');
  return readServer(askServer(url, line.token ?? environment.SLUICE_TOKEN ?? null));
}

async function write(line: Line, environment: Environment): Promise<number> {
  const { output, check = false, name = 'Schema', module = '@sluice/client' } = line;
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
    throw new CommandError(`--name must be an identifier, not ${name}.`);
  }
  if (check && output === undefined) throw new CommandError('--check needs --output.');
  const text = writeTypes(await describe(line, environment), { name, module });
  if (output === undefined) process.stdout.write(text);
  else if (!check) await writeWhole(output, text);
  else if ((await readFile(output, 'utf8').catch(() => null)) !== text) {
    process.stderr.write(`${output} is not up to date.\n`);
    return 1;
  }
  return 0;
}

/**
 * Runs the command.
 * @returns the exit code: 0 done, 1 the file is not up to date, 2 failed
 */
export async function runCommand(
  line: readonly string[],
  environment: Environment,
): Promise<number> {
  try {
    const parsed = parse(line);
    if (parsed.help !== true) return await write(parsed, environment);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    const isExpected = error instanceof CommandError || (error instanceof Error && 'code' in error);
    process.stderr.write(`${isExpected && error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

/** The command that writes TypeScript types of the schema, for the client. */

import { SetupError } from '#core/model/system/setup-error.ts';
import { CommandError } from '#ops/client/command/description.ts';
import { readServer } from '#ops/client/command/server.ts';
import { writeTypes } from '#ops/client/command/write-types.ts';
import { writeWhole } from '#ops/client/command/write-whole.ts';
import { type Command, type CommandArguments, type Context, URL_OPTION } from './command.ts';

async function types(line: CommandArguments, { open }: Context): Promise<number> {
  const api = await open(line.value('url'));
  try {
    const description = await readServer((path) => api.send(path));
    const module = line.value('module') ?? '@sluice/client';
    const text = writeTypes(description, { module, name: 'Schema' });
    if (line.file === null || line.file === '-') process.stdout.write(text);
    else await writeWhole(line.file, text);
    return 0;
  } catch (error) {
    if (error instanceof CommandError) throw new SetupError(error.message, { cause: error });
    throw error;
  }
}

export const TYPES: Command = {
  words: ['types'],
  file: 'optional',
  meaning:
    'Write TypeScript types of the schema, for the client.\n' +
    'They are written to FILE, or to the standard output.',
  options: [
    { name: 'module', value: 'NAME', meaning: 'the module of the client; @sluice/client' },
    URL_OPTION,
  ],
  run: types,
};

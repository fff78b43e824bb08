/** The commands for the credentials of users. */
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import type { Api } from '#ops/run/demo/api.ts';
import { type Command, URL_OPTION } from './command.ts';

const DONE = 0;
/** Random bytes of a generated credential. */
const RANDOM_BYTES = 24;

const users = v.object({ data: v.array(v.object({ id: v.string() })) });

async function idOf(api: Api, email: string): Promise<string> {
  const filter = JSON.stringify({ email: { _ieq: email } });
  const query = new URLSearchParams({ filter, fields: 'id' });
  const [user] = v.parse(users, await api.get(`/users?${query}`)).data;
  if (user === undefined) throw new SetupError(`There is no user with the e-mail ${email}.`);
  return user.id;
}

/** Sets a credential of the given user, and prints it when it was generated. */
function setter(field: 'password' | 'token'): Command['run'] {
  return async (line, { open }) => {
    const api = await open(line.value('url'));
    const id = await idOf(api, line.file ?? '');
    const given = line.has('stdin') ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
    const value = given ?? randomBytes(RANDOM_BYTES).toString('base64url');
    await api.request(`/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [field]: value }),
    });
    if (line.has('json'))
      console.log(JSON.stringify({ id, ...(given === null ? { [field]: value } : {}) }));
    else if (given === null) console.log(value);
    return DONE;
  };
}

function command(word: string, meaning: string, field: 'password' | 'token'): Command {
  const options = [
    { name: 'stdin', meaning: `read the ${field} from the standard input` },
    { name: 'json', meaning: 'print the answer as JSON' },
    URL_OPTION,
  ];
  const shape = { words: ['users', word], file: 'required', argument: 'EMAIL', options } as const;
  return { ...shape, meaning, run: setter(field) };
}

export const USER_COMMANDS: readonly Command[] = [
  command('passwd', 'Give a user a new password.\nIt is generated and printed once.', 'password'),
  command('token', 'Give a user a new static token.\nIt is generated and printed once.', 'token'),
];

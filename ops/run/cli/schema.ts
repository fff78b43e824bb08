/**
 * The commands for the schema: take a snapshot, compare with one, apply one; rename a collection or
 * a field.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import { writeWhole } from '#ops/client/command/write-whole.ts';
import type { Api } from '#ops/run/demo/api.ts';
import { type Command, type CommandArguments, type Context, URL_OPTION } from './command.ts';
import { confirm } from './confirm.ts';
import { type Diff, describe, diffAnswer, type Loss, lossesOf } from './describe.ts';
import { settled } from './installation.ts';

const DONE = 0;
const DIFFERS = 1;

const FORCE = { name: 'force' } as const;
const MODE = {
  name: 'mode',
  value: 'MODE',
  meaning: 'mirror: delete what is not in the snapshot (default); merge: delete nothing',
} as const;

function formatOf(line: CommandArguments): string {
  const given = line.value('format');
  if (given !== null && given !== 'yaml' && given !== 'json') {
    throw new SetupError(`--format must be yaml or json, not ${given}.`);
  }
  return given ?? (line.file?.endsWith('.json') ? 'json' : 'yaml');
}

async function snapshot(line: CommandArguments, { open }: Context): Promise<number> {
  const query = new URLSearchParams({ export: formatOf(line) });
  for (const name of ['include', 'exclude'] as const) {
    const list = line.value(name);
    if (list !== null) query.set(`${name}Collections`, list);
  }
  const rights = line.value('with');
  if (rights !== null) query.set('with', rights);
  const api = await open(line.value('url'));
  const content = await (await api.request(`/schema/snapshot?${query}`)).text();
  if (line.file === null || line.file === '-') process.stdout.write(content);
  else await writeWhole(line.file, content);
  return DONE;
}

async function contentOf(file: string): Promise<Blob> {
  if (file === '-') return new Blob([await text(process.stdin)]);
  try {
    return new Blob([await readFile(file)]);
  } catch (error) {
    throw new SetupError(`The file ${file} cannot be read: ${String(error)}`, { cause: error });
  }
}

interface Found {
  readonly hash: string;
  readonly diff: Diff;
  /** The diff as the server sent it. */
  readonly body: string;
}

/** Compares the installation with the snapshot in a file; null when they are equal. */
async function compare(api: Api, line: CommandArguments): Promise<Found | null> {
  const file = line.file ?? '-';
  const form = new FormData();
  // JSON is also YAML; the file name determines the format.
  const name = file === '-' ? 'snapshot.yaml' : basename(file);
  form.append(
    'file',
    await contentOf(file),
    /\.(?:json|ya?ml)$/i.test(name) ? name : `${name}.yaml`,
  );
  const query = new URLSearchParams({ mode: line.value('mode') ?? 'mirror' });
  if (line.has('force')) query.set('force', '');
  const response = await api.request(`/schema/diff?${query}`, { method: 'POST', body: form });
  if (response.status === 204) return null;
  const answer: unknown = await response.json();
  const { hash, diff } = v.parse(diffAnswer, answer).data;
  const { data } = v.parse(v.object({ data: v.unknown() }), answer);
  return { hash, diff, body: JSON.stringify(data) };
}

async function diff(line: CommandArguments, { open }: Context): Promise<number> {
  const found = await compare(await open(line.value('url')), line);
  console.log(found === null ? 'Nothing differs.' : describe(found.diff));
  return found === null ? DONE : DIFFERS;
}

const counted = v.object({ data: v.array(v.object({ count: v.unknown() })) });

/** The number of lost items or values; null when unknown. */
async function countOf(api: Api, { collection, field }: Loss): Promise<string | null> {
  const query = new URLSearchParams({ aggregate: JSON.stringify({ count: field ?? '*' }) });
  const response = await api.send(`/items/${encodeURIComponent(collection)}?${query}`);
  const { success, output } = v.safeParse(counted, await response.json());
  const count = success ? output.data[0]?.count : undefined;
  if (typeof count === 'string') return count;
  return typeof count === 'object' && count !== null ? String(Object.values(count)[0]) : null;
}

async function lossText(api: Api, loss: Loss): Promise<string> {
  const count = await countOf(api, loss);
  const what = loss.field === null ? 'items' : 'values';
  const place = loss.field === null ? loss.collection : `${loss.collection}.${loss.field}`;
  return `  ${place.replace(/\p{Cc}/gu, '\u{FFFD}')}: ${count === null ? 'all' : count} ${what}`;
}

/** Shows the effects and requests a confirmation. */
async function agreed(
  api: Api,
  line: CommandArguments,
  { diff: wanted }: Found,
  signal: AbortSignal,
) {
  console.log(describe(wanted));
  const lost = await Promise.all(lossesOf(wanted).map((loss) => lossText(api, loss)));
  if (lost.length > 0) console.log(`\nWill be lost:\n${lost.join('\n')}`);
  if (line.has('yes')) return true;
  return confirm(`\nApply this to ${api.url}?`, signal);
}

const tried = v.object({ data: v.object({ sql: v.array(v.string()) }) });

async function apply(line: CommandArguments, { open, signal }: Context): Promise<number> {
  const api = await open(line.value('url'));
  const found = await compare(api, line);
  if (found === null) {
    console.log('Nothing differs.');
    return DONE;
  }
  const query = new URLSearchParams(line.has('force') ? { force: '' } : {});
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: found.body };
  if (line.has('dry-run')) {
    query.set('dryRun', '');
    const answer: unknown = await (await api.request(`/schema/apply?${query}`, request)).json();
    for (const statement of v.parse(tried, answer).data.sql) console.log(`${statement};`);
    return DONE;
  }
  if (!(await agreed(api, line, found, signal))) {
    console.log('Nothing was changed.');
    return DIFFERS;
  }
  await settled(api, await api.request(`/schema/apply?${query}`, request), signal);
  console.log('Applied.');
  return DONE;
}

/** The value of an option that must be given. @throws {SetupError} */
function required(line: CommandArguments, option: string): string {
  const value = line.value(option);
  if (value === null) throw new SetupError(`--${option} is missing.`);
  return value;
}

async function rename(line: CommandArguments, { open, signal }: Context): Promise<number> {
  const collection = required(line, 'collection');
  const field = line.value('field');
  const to = required(line, 'to');
  const api = await open(line.value('url'));
  const parts = field === null ? ['collections', collection] : ['fields', collection, field];
  const path = `/${parts.map(encodeURIComponent).join('/')}`;
  // Refuses a name that does not exist before it asks.
  await api.request(path);
  const subject = parts.slice(1).join('.');
  console.log(
    `Clients, views and functions outside of Sluice that name ${subject} must use ${to} from then on:\n` +
      'requests with the old name are refused. Permissions, presets and history follow by themselves.',
  );
  if (!line.has('yes') && !(await confirm(`Rename it on ${api.url}?`, signal))) {
    console.log('Nothing was changed.');
    return DIFFERS;
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(field === null ? { collection: to } : { field: to });
  const answer = await api.request(`${path}/rename`, { method: 'POST', headers, body });
  await settled(api, answer, signal);
  console.log('Renamed.');
  return DONE;
}

export const SCHEMA_COMMANDS: readonly Command[] = [
  {
    words: ['schema', 'snapshot'],
    file: 'optional',
    meaning:
      'Take a snapshot of the schema.\n' + 'It is written to FILE, or to the standard output.',
    options: [
      { name: 'format', value: 'yaml|json', meaning: 'by the name of the file, else yaml' },
      { name: 'include', value: 'A,B', meaning: 'only these collections' },
      { name: 'exclude', value: 'A,B', meaning: 'all but these collections' },
      { name: 'with', value: 'A,B', meaning: 'also these: policies, roles, permissions' },
      URL_OPTION,
    ],
    run: snapshot,
  },
  {
    words: ['schema', 'diff'],
    file: 'required',
    meaning:
      'Show what must change to make the schema like a snapshot.\n' +
      'FILE is JSON or YAML; - is the standard input. The exit code is 1 when there is a difference.',
    options: [
      MODE,
      { ...FORCE, meaning: 'compare with a snapshot of another release as well' },
      URL_OPTION,
    ],
    run: diff,
  },
  {
    words: ['schema', 'apply'],
    file: 'required',
    meaning:
      'Make the schema like a snapshot.\n' +
      'FILE is JSON or YAML; - is the standard input. All or nothing.',
    options: [
      MODE,
      { name: 'yes', short: 'y', meaning: 'do not ask' },
      { name: 'dry-run', meaning: 'print the SQL that would run, and change nothing' },
      { ...FORCE, meaning: 'lose values that do not fit; accept a snapshot of another release' },
      URL_OPTION,
    ],
    run: apply,
  },
  {
    words: ['schema', 'rename'],
    file: 'none',
    meaning:
      'Rename a collection, or one of its fields.\n' +
      'Permissions, presets, relations and history follow; clients must use the new name.',
    options: [
      { name: 'collection', value: 'NAME', meaning: 'the collection; required' },
      { name: 'field', value: 'NAME', meaning: 'its field; without it the collection is renamed' },
      { name: 'to', value: 'NAME', meaning: 'the new name; required' },
      { name: 'yes', short: 'y', meaning: 'do not ask' },
      URL_OPTION,
    ],
    run: rename,
  },
];

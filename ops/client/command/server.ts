/** Reads the schema of a running server, as far as a token sees it. */
import {
  CommandError,
  type Description,
  isMembers,
  type Rights,
  readCollections,
  readFields,
  readRelations,
  textOf,
  textsOf,
} from './description.ts';

/** Sends a GET for a path of the API, with a token. */
export type Ask = (path: string) => Promise<Response>;

/** Asks the API at a URL, with a token or as the public. */
export function askServer(url: string, token: string | null): Ask {
  const base = url.replace(/\/+$/, '');
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  return async (path) => {
    try {
      return await fetch(base + path, { headers });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new CommandError(`No answer from ${base + path}: ${String(cause)}`);
    }
  };
}

/** System collections whose items have no route. */
const UNSERVED = ['collections', 'fields', 'relations', 'jobs', 'job_errors', 'storages'].map(
  (name) => `system_${name}`,
);

/** The code of an error of the API; null when the answer is none of it. */
async function codeOf(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null);
  const [first]: unknown[] = isMembers(body) && Array.isArray(body.errors) ? body.errors : [];
  if (!isMembers(first) || !isMembers(first.extensions)) return null;
  return textOf(first.extensions.code);
}

async function refusal(response: Response, path: string): Promise<CommandError> {
  const code = await codeOf(response);
  if (response.status === 401) {
    return new CommandError(`The token is not valid (${code ?? response.status}).`);
  }
  if (code === 'FORBIDDEN') {
    const table = `system_${path.slice(1)}`;
    return new CommandError(
      `The schema may not be read: a permission to read ${table} is missing. ` +
        'Use the token of a user with app access, or with permissions to read system_collections, ' +
        'system_fields and system_relations; then the types have what that user may read.',
    );
  }
  const found = code === null ? `status ${response.status}` : `${response.status} ${code}`;
  return new CommandError(`${path} was answered with ${found}. Is this the URL of the API?`);
}

async function dataOf(ask: Ask, path: string): Promise<unknown> {
  const response = await ask(path);
  if (!response.ok) throw await refusal(response, path);
  const body: unknown = await response.json().catch(() => null);
  if (isMembers(body) && 'data' in body) return body.data;
  throw new CommandError(`${path} was not answered with JSON. Is this the URL of the API?`);
}

/** What the token may do. Those who are not signed in are told nothing, so that all may be hidden. */
async function rightsOf(ask: Ask): Promise<ReadonlyMap<string, Rights>> {
  const response = await ask('/permissions/me');
  if (response.status === 403) return new Map();
  if (!response.ok) throw await refusal(response, '/permissions/me');
  const body: unknown = await response.json().catch(() => null);
  const data = isMembers(body) && isMembers(body.data) ? body.data : {};
  return new Map(
    Object.entries(data).map(([name, actions]) => {
      const { read, create } = isMembers(actions) ? actions : {};
      const presets = isMembers(create) && isMembers(create.presets) ? create.presets : {};
      const reading = isMembers(read) ? read : {};
      const rights = {
        readsAll: reading.access === 'full',
        fields: textsOf(reading.fields),
        presets: Object.keys(presets),
      };
      return [name, rights];
    }),
  );
}

/**
 * The schema of a server.
 * @throws CommandError naming what the token lacks
 */
export async function readServer(ask: Ask): Promise<Description> {
  const collections = readCollections(await dataOf(ask, '/collections'));
  const [fields, relations, rights] = await Promise.all([
    dataOf(ask, '/fields'),
    dataOf(ask, '/relations'),
    rightsOf(ask),
  ]);
  const described = {
    collections: collections.filter(({ collection }) => !UNSERVED.includes(collection)),
    fields: readFields(fields).filter(({ collection }) => !UNSERVED.includes(collection)),
    relations: readRelations(relations),
    rights,
    hasSystem: true,
  };
  if (described.fields.length > 0) return described;
  throw new CommandError('The token sees no collection: it has no permission to read items.');
}

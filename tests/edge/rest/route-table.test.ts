import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { QUERY_PARAMETERS } from '#core/query/parse/parameter.ts';
import type { RouteEntry } from '#edge/rest/route.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { checkGenerated, markdownTable } from '#tests/harness/generated.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'SEARCH', 'PURGE'];

const KILOBYTE = 1_024;

/** Bodies with which requests come as far as rights decide. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/users/invite': { email: 'somebody@example.com', role: randomUUID() },
  '/utils/sort/:collection': { item: 1, to: 2 },
};

const PARTS: Readonly<Record<string, string>> = {
  collection: 'thing',
  field: 'name',
  id: randomUUID(),
  key: randomUUID(),
  revision: '1',
};

const nameOf = ({ method, path }: RouteEntry) => `${method} ${path}`;

/** The path of a route with every part named. */
function pathOf({ path }: RouteEntry): string {
  return path.replace(/:(\w+)/g, (_, part: string) => PARTS[part] ?? `no part ${part}`);
}

let cluster: Cluster;

function send(entry: RouteEntry, token: string | null, init: RequestInit = {}) {
  const sample = BODIES[entry.path];
  const body = sample === undefined ? {} : { body: JSON.stringify(sample) };
  const type = sample === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...type, ...init.headers, ...(token && { authorization: `Bearer ${token}` }) };
  return fetch(`${cluster.url}${pathOf(entry)}`, {
    method: entry.method,
    redirect: 'manual',
    ...body,
    ...init,
    headers,
  });
}

async function codeOf(answer: Response): Promise<string | undefined> {
  const text = await answer.text();
  return answer.status < 400 ? undefined : JSON.parse(text).errors[0].extensions.code;
}

async function detailsOf(answer: Response) {
  return JSON.parse(await answer.text()).errors[0].extensions;
}

t.before(async () => {
  cluster = await startCluster(t, {
    env: { FORM_MAX_SIZE: '1kb', QUERY_BODY_MAX_SIZE: '2kb', BODY_MAX_SIZE: '4kb' },
  });
  await cluster.db.query('CREATE TABLE thing (id uuid PRIMARY KEY, name text)');
});

t.test('each route stands in the table once, and none beside it', async (t) => {
  const names = ROUTES.map(nameOf);
  t.equal(new Set(names).size, names.length);
  const root = join(import.meta.dirname, '../../../edge');
  const files = await readdir(root, { recursive: true });
  const makers: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    if ((await readFile(join(root, file), 'utf8')).includes('new Router(')) makers.push(file);
  }
  t.strictSame(makers, ['rest/route-table.ts']);
});

t.test('the access in the table applies to anonymous callers', async (t) => {
  for (const entry of ROUTES) {
    const answer = await send(entry, null);
    const name = nameOf(entry);
    const code = await codeOf(answer);
    if (entry.access === 'anyone') t.notOk([401, 403].includes(answer.status), name);
    else if (entry.access === 'account') t.equal(code, 'INVALID_CREDENTIALS', name);
    else t.equal(code, 'FORBIDDEN', name);
    if (entry.limit === undefined) continue;
    t.match(answer.headers.get('ratelimit-policy'), `"${entry.limit}";`, `${name} is limited`);
  }
});

t.test('and to users without permissions', async (t) => {
  const { token } = await createMember(cluster, []);
  for (const entry of ROUTES.filter(({ limit }) => limit === undefined)) {
    const answer = await send(entry, token);
    const name = nameOf(entry);
    const isForbidden = entry.access === 'rights' || entry.access === 'administrator';
    if (isForbidden) t.equal(await codeOf(answer), 'FORBIDDEN', name);
    else t.not(answer.status, 401, name);
  }
});

t.test(
  'OPTIONS tells the methods, all others are ROUTE_NOT_FOUND, or those of GraphQL METHOD_NOT_ALLOWED',
  async (t) => {
    for (const path of new Set(ROUTES.map(pathOf))) {
      const answer = await fetch(`${cluster.url}${path}`, { method: 'OPTIONS' });
      t.equal(answer.status, 204, path);
      const allowed = answer.headers.get('allow')?.split(', ') ?? [];
      const entries = ROUTES.filter((entry) => pathOf(entry) === path);
      const own = entries.map(({ method }) => method);
      const code = entries.some(({ namesMethods }) => namesMethods)
        ? 'METHOD_NOT_ALLOWED'
        : 'ROUTE_NOT_FOUND';
      t.strictSame(
        own.filter((method) => !allowed.includes(method)),
        [],
        path,
      );
      t.equal(allowed.includes('HEAD'), allowed.includes('GET'), path);
      for (const method of METHODS.filter((other) => !allowed.includes(other))) {
        const refused = await fetch(`${cluster.url}${path}`, { method });
        t.equal(await codeOf(refused), code, `${method} ${path}`);
      }
    }
  },
);

t.test('HEAD is answered as GET is', async (t) => {
  for (const entry of ROUTES.filter(({ method }) => method === 'GET')) {
    const { get, head } = await until(async () => {
      const pair = {
        get: await send(entry, ADMIN_TOKEN),
        head: await send(entry, ADMIN_TOKEN, HEAD),
      };
      // A check of the health that has no answer in time.
      const isLate = [pair.get, pair.head].some(({ status }) => status === 503);
      return isLate && entry.path === '/server/health' ? null : pair;
    }, nameOf(entry));
    await get.text();
    t.equal(head.status, get.status, nameOf(entry));
    t.equal(await head.text(), '', nameOf(entry));
    t.equal(head.headers.get('content-type'), get.headers.get('content-type'), nameOf(entry));
    const { statuses, type } = entry.answer;
    if (get.status < 400) t.ok(statuses.includes(get.status), `${nameOf(entry)} ${get.status}`);
    // Files of pages are of many types.
    if (get.status !== 200 || entry.leftOut !== undefined) continue;
    t.match(get.headers.get('content-type'), type ?? null, nameOf(entry));
  }
});

const HEAD = { method: 'HEAD' };

t.test('strict handling refuses parameters that the table does not name', async (t) => {
  const headers = { Prefer: 'handling=strict', authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const entry of ROUTES.filter(({ handle }) => typeof handle === 'function')) {
    const url = `${cluster.url}${pathOf(entry)}?misspelt=1`;
    const answer = await fetch(url, { method: entry.method, headers });
    const { code, reason } = await detailsOf(answer);
    t.equal(code, 'INVALID_QUERY', nameOf(entry));
    const names = Object.keys(entry.parameters ?? {});
    t.match(reason, names.length === 0 ? 'takes none' : names.join(', '), nameOf(entry));
  }
});

t.test('a body is of the types and the size that the table says', async (t) => {
  const text = { body: 'x', headers: { 'Content-Type': 'text/plain' } };
  const large = {
    body: JSON.stringify({ x: 'x'.repeat(5 * KILOBYTE) }),
    headers: { 'Content-Type': 'application/json' },
  };
  for (const entry of ROUTES) {
    // Those that are limited strictly are counted by address.
    if (entry.body === null || entry.limit !== undefined) continue;
    const refused = await send(entry, ADMIN_TOKEN, text);
    t.equal(await codeOf(refused), 'UNSUPPORTED_MEDIA_TYPE', nameOf(entry));
    if (entry.body.limit === 'IMPORT_MAX_SIZE') continue;
    const { variable } = await detailsOf(await send(entry, ADMIN_TOKEN, large));
    t.equal(variable, entry.body.limit, nameOf(entry));
  }
});

const ACCESS = {
  anyone: 'anyone',
  user: 'users',
  account: 'users',
  administrator: 'administrators',
  rights: 'by rights',
};

function rowOf(entry: RouteEntry): readonly string[] {
  const { body, answer, limit } = entry;
  const parameters = Object.keys(entry.parameters ?? {});
  const query = QUERY_PARAMETERS.every((name) => parameters.includes(name));
  const beside = parameters.filter((name) => !query || !QUERY_PARAMETERS.includes(name));
  const names = beside.map((name) => `\`${name}\``);
  const types = body?.types.map((type) => type.replace(/.*\//, '')).join(' or ');
  const statuses = [...answer.statuses, ...(answer.job ? [202] : [])].join(', ');
  return [
    `\`${entry.method}\``,
    `\`${entry.path}\``,
    entry.summary,
    ACCESS[entry.access],
    [...(query ? ['[query](query.md)'] : []), ...names].join(', '),
    body === null ? '' : `${types}, \`${body.limit}\``,
    answer.type === null ? statuses : `${statuses} ${answer.type}`,
    limit ?? '',
  ];
}

t.test('the documents list the table', async (t) => {
  const head = ['method', 'path', 'what it does', 'who', 'parameters', 'body', 'answer', 'limit'];
  await checkGenerated(t, 'ops/docs/routes.md', 'routes', markdownTable(head, ROUTES.map(rowOf)));
});

/**
 * A repeatable request for each route of the table that exercises the purpose of the route. Changes
 * and removals use nonexistent keys; creations use new names. A new route receives an empty object
 * until it gets a sample here.
 */
import { randomUUID } from 'node:crypto';
import type { RouteEntry } from '#edge/rest/route.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { ADMIN_TOKEN, type Cluster } from './cluster.ts';
import { until } from './until.ts';

/** The response of a route. */
export interface RouteAnswer {
  /** Method and path as in the table. */
  readonly route: string;
  /** 0 without a response. */
  readonly status: number;
  readonly retryAfter: string | null;
  /** The beginning of the body, or why there was no response. */
  readonly text: string;
}

interface Sample {
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The values of the path parameters. */
  readonly parts?: Readonly<Record<string, string>>;
}

const WITHIN_MS = 60_000;
/** Two for each round over all routes. */
const UPLOADS = 60;
const AT_ONCE = 24;
const TEXT_SHOWN = 300;
const CREDENTIALS = { email: 'routes@example.com', password: 'the password for all routes' };

/** Variables of a cluster for these requests. */
export const ROUTE_ENVIRONMENT = {
  ADMIN_EMAIL: CREDENTIALS.email,
  ADMIN_PASSWORD: CREDENTIALS.password,
  EMAIL_TRANSPORT: 'log',
  RATE_LIMIT_LOGIN_ENABLED: 'false',
  RATE_LIMIT_REGISTRATION_ENABLED: 'false',
  JOBS_MAX_PER_USER: '100000',
  TUS_MAX_PER_USER: '100000',
};

/** Responses that no outage explains, each as a line. */
export function faultsOf(answers: readonly RouteAnswer[]): string[] {
  const isFault = ({ status, retryAfter }: RouteAnswer) =>
    status === 0 || (status === 503 ? retryAfter === null : status >= 500);
  return answers
    .filter(isFault)
    .map(({ route, status, text }) => `${route}: ${status} ${text}`)
    .sort();
}

function csv(text: string): FormData {
  const form = new FormData();
  form.set('file', new File([`name\n${text}\n`], 'rows.csv', { type: 'text/csv' }));
  return form;
}

const nameOf = ({ method, path }: RouteEntry) => `${method} ${path}`;
const json = (value: unknown): Sample => ({ body: JSON.stringify(value) });

export class EveryRoute {
  readonly #cluster: Cluster;
  readonly #url: string;
  /** Keys of existing rows. */
  #there = { file: '', job: '', exported: '', revision: '' };
  /** Keys of uploads without content; each is used once. */
  readonly #uploads: string[] = [];
  #count = 0;

  /** @param url the edge that receives the requests */
  constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster;
    this.#url = url;
  }

  /** Creates the objects of the routes: a table, a file, completed jobs, and an upload. */
  async prepare(): Promise<void> {
    const { db } = this.#cluster;
    await db.query(`CREATE TABLE thing (id serial PRIMARY KEY, name text, sort int);
      INSERT INTO thing (name) VALUES ('one'), ('two')`);
    const isServed = async () => (await this.#fetch('GET', '/items/thing', {})).ok;
    await until(isServed, 'the table is served');
    const post = async (path: string, sample: Sample) => {
      const answer = await this.#fetch('POST', path, sample);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return { id: (answer.headers.get('location') ?? '').replace(/^.*\//, ''), text };
    };
    const form = new FormData();
    form.set('file', new File(['a text'], 'a.txt', { type: 'text/plain' }));
    const { data } = JSON.parse((await post('/files', { body: form })).text);
    await post('/items/thing', json({ name: 'three' }));
    const { rows } = await db.query<{ id: string }>('SELECT max(id) AS id FROM system_revisions');
    this.#there = {
      file: data.id,
      job: (await post('/utils/import/thing', { body: csv('imported') })).id,
      exported: (await post('/utils/export/thing', json({ query: {}, format: 'csv' }))).id,
      revision: rows[0]?.id ?? '',
    };
    const sorted = json({ meta: { sort_field: 'sort' } });
    await this.#fetch('PATCH', '/collections/thing', sorted).then((answer) => answer.text());
    for (let count = 0; count < UPLOADS; count += 1) {
      this.#uploads.push((await post('/files/tus', this.#upload())).id);
    }
  }

  /** Sends requests to routes, some concurrently. */
  async ask(entries: readonly RouteEntry[] = ROUTES): Promise<RouteAnswer[]> {
    const left = [...entries];
    const answers: RouteAnswer[] = [];
    const client = async () => {
      for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
        answers.push(await this.#askOne(entry));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    return answers;
  }

  /** Waits until each route responds with its earlier status. */
  async answersAs(before: readonly RouteAnswer[], limit?: number): Promise<void> {
    const statuses = new Map(before.map(({ route, status }) => [route, status]));
    let left = [...ROUTES];
    let wrong: RouteAnswer[] = [];
    const isBack = async () => {
      wrong = (await this.ask(left)).filter(({ route, status }) => status !== statuses.get(route));
      const names = new Set(wrong.map(({ route }) => route));
      left = left.filter((entry) => names.has(nameOf(entry)));
      return left.length === 0;
    };
    await until(isBack, 'all routes answer as before', limit).catch((error: unknown) => {
      const lines = wrong.map(({ route, status, text }) => `${route}: ${status} ${text}`);
      throw new Error(lines.join('\n'), { cause: error });
    });
  }

  async #askOne(entry: RouteEntry): Promise<RouteAnswer> {
    const route = nameOf(entry);
    const sample = this.#sampleOf(entry);
    const path = entry.path
      .replace(/:(\w+)/g, (_, part: string) => sample.parts?.[part] ?? this.#part(part))
      .replace(/\*$/, 'nothing');
    const method = entry.headOnly === true ? 'HEAD' : entry.method;
    try {
      const answer = await this.#fetch(method, `${path}${sample.query ?? ''}`, sample);
      const { status, headers } = answer;
      // A response that fails after it began is cut off, so that its client detects the failure.
      const text = await answer.text().then(
        (whole) => whole.slice(0, TEXT_SHOWN),
        () => 'cut off',
      );
      return { route, status, retryAfter: headers.get('retry-after'), text };
    } catch (error) {
      return { route, status: 0, retryAfter: null, text: String(error) };
    }
  }

  #fetch(method: string, path: string, { body, headers = {} }: Sample): Promise<Response> {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    return fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...type, ...headers },
      signal: AbortSignal.timeout(WITHIN_MS),
      ...(body === undefined ? {} : { body }),
    });
  }

  #part(name: string): string {
    const { file, job, revision } = this.#there;
    const parts: Readonly<Record<string, string>> = {
      ...{ collection: 'thing', field: 'name', queue: 'images', filename: 'a.txt', revision },
      // Most keys do not exist, so that the requests change nothing.
      ...{ id: job, key: randomUUID(), file },
    };
    return parts[name] ?? `no-${name}`;
  }

  #upload(more: Readonly<Record<string, string>> = {}): Sample {
    const name = Buffer.from('a.txt').toString('base64');
    return {
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '1000',
        'Upload-Metadata': `filename_download ${name}`,
        ...more,
      },
    };
  }

  /** The sample of a route with a specific body. */
  #ownSample(route: string): Sample | null {
    this.#count += 1;
    const n = this.#count;
    const { file, exported } = this.#there;
    const tus = { 'Tus-Resumable': '1.0.0' };
    const ofUpload = { parts: { id: this.#uploads.at(0) ?? '' } };
    const piece = { 'Upload-Offset': '0', 'content-type': 'application/offset+octet-stream' };
    const nextUpload = () => ({ parts: { id: this.#uploads.pop() ?? '' } });
    const form = new FormData();
    form.set('file', new File(['a text'], 'a.txt', { type: 'text/plain' }));
    const token = { token: 'none', password: 'a new password' };
    const login = json(CREDENTIALS);
    const query = (text: string) => json({ query: text });
    const samples: Readonly<Record<string, Sample>> = {
      'POST /auth/login': login,
      'POST /auth/refresh': json({ refresh_token: 'none', mode: 'json' }),
      'POST /auth/logout': json({ refresh_token: 'none', mode: 'json' }),
      'POST /auth/password/request': json({ email: CREDENTIALS.email }),
      'POST /auth/password/reset': json(token),
      'POST /users/register': json({ email: `n${n}@example.com`, password: 'a new password' }),
      'GET /users/register/verify-email': { query: '?token=none' },
      'POST /users/invite': json({ email: `n${n}@example.com`, role: randomUUID() }),
      'POST /users/invite/accept': json(token),
      'POST /users/me/tfa/generate': json({ password: CREDENTIALS.password }),
      'POST /users/me/tfa/enable': json({ secret: 'JBSWY3DPEHPK3PXP', otp: '000000' }),
      'POST /users/me/tfa/disable': json({ otp: '000000' }),
      'PATCH /users/me': json({ title: `title ${n}` }),
      'PATCH /users/me/track/page': json({ last_page: '/' }),
      'GET /items/:collection/:key': { parts: { key: '1' } },
      'POST /items/:collection': json({ name: `name ${n}` }),
      'PATCH /items/:collection': json({ keys: [1], data: { name: `name ${n}` } }),
      'PATCH /items/:collection/:key': { ...json({ name: `name ${n}` }), parts: { key: '1' } },
      'PUT /items/:collection': json([{ id: 1, name: `name ${n}` }]),
      'DELETE /items/:collection': json([1_000_000]),
      'DELETE /items/:collection/:key': { parts: { key: '1000000' } },
      'POST /users': json({ email: `created${n}@example.com` }),
      'POST /roles': json({ name: `role ${n}` }),
      'POST /policies': json({ name: `policy ${n}` }),
      'POST /folders': json({ name: `folder ${n}` }),
      'POST /comments': json({ collection: 'thing', item: '1', comment: 'a comment' }),
      'POST /presets': json({ collection: 'thing' }),
      'POST /dashboards': json({ name: `dashboard ${n}` }),
      'POST /panels': json({
        dashboard: { name: 'nested' },
        type: 'list',
        position_x: 1,
        position_y: 1,
        width: 4,
        height: 4,
      }),
      'POST /import_profiles': json({ name: `profile ${n}`, collection: 'thing' }),
      'PATCH /settings': json({ project_descriptor: `text ${n}` }),
      'POST /files': { body: form },
      'PATCH /files/:key': { body: form, parts: { key: file } },
      'POST /files/import': json({ url: 'ftp://127.0.0.1/none' }),
      'GET /files/:key': { parts: { key: file } },
      'POST /files/:key/url': { ...json({}), parts: { key: file } },
      'GET /assets/:id': { parts: { id: file } },
      'GET /assets/:id/:filename': { parts: { id: file } },
      'POST /assets/files': json({ ids: [file] }),
      'POST /files/tus': { ...this.#upload(piece), body: 'a piece' },
      'GET /files/tus/:id': { ...ofUpload, headers: tus },
      'POST /collections': json({ collection: `made_${n}`, schema: {}, meta: {} }),
      'PATCH /collections': json([{ collection: 'thing', meta: { note: `note ${n}` } }]),
      'PATCH /collections/:collection': json({ meta: { note: `note ${n}` } }),
      'DELETE /collections/:collection': { parts: { collection: 'none' } },
      'PATCH /fields/:collection/:field': json({ meta: { note: `note ${n}` } }),
      'DELETE /fields/:collection/:field': { parts: { field: 'none' } },
      'POST /fields/:collection': json({ field: `made_${n}`, type: 'string', schema: {} }),
      'PATCH /fields/:collection': json([{ field: 'name', meta: { note: `note ${n}` } }]),
      'POST /relations': json({ collection: 'thing', field: 'none', related_collection: 'thing' }),
      'POST /schema/diff': json({}),
      'POST /utils/import/:collection': { body: csv(`row ${n}`), query: '?background' },
      'POST /utils/export/:collection': json({ query: {}, format: 'csv' }),
      'GET /jobs/:id/file': { parts: { id: exported } },
      'POST /utils/hash/generate': json({ string: 'text' }),
      'POST /utils/hash/verify': json({ string: 'text', hash: '$argon2id$' }),
      'POST /utils/sort/:collection': json({ item: 1, to: 2 }),
      'POST /graphql': query('{ thing { id name } }'),
      'GET /graphql': { query: `?query=${encodeURIComponent('{ thing { id } }')}` },
      'POST /graphql/system': query('{ users { id email } }'),
      'GET /graphql/system': { query: `?query=${encodeURIComponent('{ users { id } }')}` },
    };
    if (route === 'PATCH /files/tus/:id') {
      return { ...nextUpload(), headers: { ...tus, ...piece }, body: 'a piece' };
    }
    if (route === 'DELETE /files/tus/:id') return { ...nextUpload(), headers: tus };
    return samples[route] ?? null;
  }

  #sampleOf(entry: RouteEntry): Sample {
    const { method, path, body } = entry;
    const own = this.#ownSample(nameOf(entry));
    if (own !== null) return own;
    if (body === null) return {};
    if (method === 'SEARCH') return json({ query: { limit: 1 } });
    if (method === 'DELETE') return json([randomUUID()]);
    const isOne = path.includes('/:');
    return json(method === 'PATCH' && !isOne ? { keys: [randomUUID()], data: {} } : {});
  }
}

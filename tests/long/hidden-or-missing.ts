// What a caller may not know answers like what does not exist, by every door: the same request is sent
// about both, and status, headers and body must be equal but for the name.
import { getIntrospectionQuery } from 'graphql';
import t, { type Test } from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { sendAgain } from '#tests/harness/send-again.ts';
import { openSocket, type TestSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';
import {
  type Asked,
  aboutCollection,
  aboutField,
  aboutItem,
} from '#tests/security/fixture/hidden-doors.ts';
import {
  CLERK,
  EDITOR,
  HIDDEN_COLLECTIONS,
  HIDDEN_FIELDS,
  HIDE,
  KNOWN,
  MEMBER,
  openToPublic,
} from '#tests/security/fixture/hidden-site.ts';

/** Differs between two answers to the same request. */
const OF_THE_MOMENT = new Set(['date', 'x-request-id', 'content-length', 'etag', 'keep-alive']);

interface Reply {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A caller, with what it sends. */
class Person {
  readonly name: string;
  readonly #url: string;
  readonly #token: string | null;
  #socket: Promise<TestSocket> | null = null;
  #graph: Promise<TestSocket> | null = null;
  #count = 0;

  constructor(name: string, { url }: Cluster, token: string | null) {
    this.name = name;
    this.#url = url;
    this.#token = token;
  }

  async ask(asked: Asked): Promise<Reply> {
    if (asked.by === 'socket') return await this.#tell(asked);
    if (asked.by === 'subscription') return await this.#subscribe(asked);
    return await sendAgain(
      () => this.#fetch(asked),
      ({ body }) => body,
    );
  }

  async #fetch({ by, to, body, file, headers = {} }: Asked): Promise<Reply> {
    const own =
      this.#token === null ? headers : { ...headers, authorization: `Bearer ${this.#token}` };
    if (by === 'GraphQL' || by === 'GraphQL system') {
      const path = by === 'GraphQL' ? '/graphql' : '/graphql/system';
      const document = JSON.stringify({ query: to, variables: body });
      return await this.#send(
        'POST',
        path,
        { ...own, 'content-type': 'application/json' },
        document,
      );
    }
    if (file !== undefined) {
      const form = new FormData();
      form.set('file', new Blob([file[1]]), file[0]);
      return await this.#send(by, to, own, form);
    }
    if (body === undefined) return await this.#send(by, to, own);
    return await this.#send(
      by,
      to,
      { 'content-type': 'application/json', ...own },
      JSON.stringify(body),
    );
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string | FormData,
  ): Promise<Reply> {
    const given = body === undefined ? {} : { body };
    const response = await fetch(this.#url + path, {
      method,
      headers,
      redirect: 'manual',
      ...given,
    });
    const shown = [...response.headers].filter(([name]) => !OF_THE_MOMENT.has(name));
    return {
      status: response.status,
      headers: shown.map(([name, value]) => `${name}: ${value}`),
      body: await response.text(),
    };
  }

  async #tell({ body }: Asked): Promise<Reply> {
    this.#socket ??= this.#open();
    const socket = await this.#socket;
    const uid = `n${this.#count++}`;
    socket.send({ ...(typeof body === 'object' ? body : {}), uid });
    const { uid: _, ...answer } = await socket.next((message) => message.uid === uid);
    socket.send({ type: 'unsubscribe', uid });
    await socket.next((message) => message.uid === uid && message.event === 'unsubscribe');
    return { status: 0, headers: [], body: JSON.stringify(answer) };
  }

  async #open(): Promise<TestSocket> {
    const socket = await openSocket(`${this.#url}/websocket`);
    t.teardown(() => socket.close());
    if (this.#token === null) return socket;
    socket.send({ type: 'auth', access_token: this.#token });
    await socket.next();
    return socket;
  }

  async #subscribe({ to }: Asked): Promise<Reply> {
    this.#graph ??= this.#openGraph();
    const socket = await this.#graph;
    const id = `n${this.#count++}`;
    socket.send({ id, type: 'subscribe', payload: { query: to } });
    const { id: _, ...answer } = await socket.next((message) => message.id === id);
    socket.send({ id, type: 'complete' });
    return { status: 0, headers: [], body: JSON.stringify(answer) };
  }

  async #openGraph(): Promise<TestSocket> {
    const socket = await openSocket(`${this.#url}/graphql`, ['graphql-transport-ws']);
    t.teardown(() => socket.close());
    socket.send({
      type: 'connection_init',
      ...(this.#token === null ? {} : { payload: { access_token: this.#token } }),
    });
    await socket.next();
    return socket;
  }
}

/** An answer without the names asked for and what is made anew for each. */
function plain({ status, headers, body }: Reply, hidden: string, missing: string): string {
  const text = [status, ...headers, body].join('\n');
  return text
    .replaceAll(missing, hidden)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'time')
    .replaceAll(/"id":\d+/g, '"id":0');
}

/** Requests that are under way at the same time. */
const AT_ONCE = 12;

let pairs = 0;

/** Sends requests about what is hidden and about what is missing, and compares the answers. */
async function compare(
  t: Test,
  person: Person,
  [hidden, missing]: readonly [hidden: string, missing: string],
  about: (name: string) => readonly Asked[],
): Promise<void> {
  const ofMissing = about(missing);
  const open = [...about(hidden).entries()];
  const differing: string[] = [];
  const ask = async (asked: Asked) => plain(await person.ask(asked), hidden, missing);
  const work = async () => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const [index, asked] = next;
      const other = ofMissing[index];
      if (other === undefined) throw new Error('not the same requests');
      const [a, b] = [await ask(asked), await ask(other)];
      pairs += 1;
      if (a !== b) differing.push(`${JSON.stringify(asked)}\n  HIDDEN ${a}\n  MISSING ${b}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  t.strictSame(differing, [], `${person.name}: ${hidden}`);
}

/** Answers that show all that there is, which must not change when something hidden comes to be. */
async function shown(person: Person): Promise<ReadonlyMap<string, string>> {
  const documents: readonly Asked[] = [
    ...['/collections', '/fields', '/relations', '/permissions/me', '/server/specs/oas'].map(
      (to): Asked => ({ by: 'GET', to }),
    ),
    ...['/server/specs/graphql', '/server/specs/graphql/system'].map(
      (to): Asked => ({ by: 'GET', to }),
    ),
    ...(['GraphQL', 'GraphQL system'] as const).map(
      (by): Asked => ({ by, to: getIntrospectionQuery() }),
    ),
    ...[
      '/items/docs',
      '/items/pages?fields=*.*.*',
      '/items/docs?fields=*.*',
      '/fields/docs/keeper',
    ].map((to): Asked => ({ by: 'GET', to })),
    ...['hoard', 'keeper.id', 'keeper.*', 'item.*', 'count(hoard)', 'hoard.id'].map(
      (field): Asked => ({ by: 'GET', to: `/items/docs?fields=${field}` }),
    ),
    ...[
      ...['{"keeper":{"id":{"_eq":1}}}', '{"hoard":{"id":{"_eq":1}}}', '{"keeper":{"_null":true}}'],
      ...[
        '{"count(hoard)":{"_eq":1}}',
        '{"hoard":{"_some":{"id":{"_eq":1}}}}',
        '{"item":{"_eq":1}}',
      ],
    ].map((filter): Asked => ({ by: 'GET', to: `/items/docs?filter=${filter}` })),
    ...['keeper.title', 'hoard.title', 'count(hoard)'].map(
      (sort): Asked => ({ by: 'GET', to: `/items/docs?sort=${sort}` }),
    ),
    ...[
      { keeper: { id: 1 } },
      { keeper: null },
      { hoard: [1] },
      { hoard: { create: [{ id: 1 }] } },
    ].flatMap((body): Asked[] => [
      { by: 'PATCH', to: '/items/docs/1', body },
      {
        by: 'POST',
        to: '/utils/import/docs?dry_run=true',
        file: ['a.json', JSON.stringify([{ id: 4, ...body }])],
      },
    ]),
  ];
  const answers = new Map<string, string>();
  for (const asked of documents) {
    answers.set(
      `${asked.by} ${asked.to} ${JSON.stringify(asked.body ?? asked.file ?? '')}`.slice(0, 150),
      plain(await person.ask(asked), ' ', ' '),
    );
  }
  return answers;
}

const cluster = await startCluster(t, {
  workers: 1,
  env: {
    WEBSOCKETS_ENABLED: 'true',
    WEBSOCKETS_REST_AUTH: 'public',
    WEBSOCKETS_GRAPHQL_AUTH: 'public',
  },
});
const { db } = cluster;
await db.query(KNOWN);
await cluster.served('/items/docs?fields=item:pages.title');
await openToPublic(cluster, MEMBER);
const member = new Person('member', cluster, (await createMember(cluster, MEMBER)).token);
const clerk = new Person(
  'clerk',
  cluster,
  (await createMember(cluster, CLERK, { app: true })).token,
);
const editor = new Person('editor', cluster, (await createMember(cluster, EDITOR)).token);
const anonymous = new Person('anonymous', cluster, null);
await until(
  async () => (await anonymous.ask({ by: 'GET', to: '/items/docs' })).status === 200,
  'the rights of all are known',
);

t.test('what is shown does not change when something hidden comes to be', async (t) => {
  const people = [member, clerk, anonymous];
  const before = await Promise.all(people.map(shown));
  await db.query(HIDE);
  await cluster.served('/items/docs?fields=hoard,item:hidden_plain.title,hidden_list,keeper.title');
  for (const [index, person] of people.entries()) {
    const after = await shown(person);
    for (const [asked, answer] of before[index] ?? []) {
      t.equal(after.get(asked), answer, `${person.name}: ${asked}`);
    }
  }
});

const CALLERS: readonly (readonly [Person, readonly string[], readonly string[]])[] = [
  [member, HIDDEN_COLLECTIONS, HIDDEN_FIELDS],
  [clerk, ['hidden_plain'], ['hidden_list']],
  [anonymous, ['hidden_plain'], ['hidden_page']],
];

for (const [person, collections, fields] of CALLERS) {
  t.test(`what is hidden and what does not exist answer alike: ${person.name}`, async (t) => {
    for (const name of collections) {
      await compare(t, person, [name, name.replace('hidden', 'absent')], aboutCollection);
    }
    for (const name of fields) {
      await compare(t, person, [name, name.replace('hidden', 'absent')], aboutField);
    }
  });
}

t.test('items that are hidden and items that do not exist answer alike', async (t) => {
  await compare(t, editor, ['70001', '90001'], aboutItem);
});

t.teardown(() => t.comment(`${pairs} pairs`));

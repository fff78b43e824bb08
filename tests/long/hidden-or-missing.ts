// What a caller may not know answers like what does not exist, by every door: the same request is sent
// about both, and status, headers and body must be equal but for the name.
import { getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import {
  type Asked,
  aboutCollection,
  aboutField,
  aboutItem,
} from '#tests/security/fixture/hidden-doors.ts';
import { compare, compared, Person, plain } from '#tests/security/fixture/hidden-pairs.ts';
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
    WEBSOCKETS_HEARTBEAT_ENABLED: 'false',
    WEBSOCKETS_REST_AUTH: 'public',
    WEBSOCKETS_GRAPHQL_AUTH: 'public',
  },
});
const { db } = cluster;
await db.query(KNOWN);
await cluster.served('/items/docs?fields=item:pages.title');
await openToPublic(cluster, MEMBER);
const member = new Person(t, 'member', cluster, (await createMember(cluster, MEMBER)).token);
const clerk = new Person(
  t,
  'clerk',
  cluster,
  (await createMember(cluster, CLERK, { app: true })).token,
);
const editor = new Person(t, 'editor', cluster, (await createMember(cluster, EDITOR)).token);
const anonymous = new Person(t, 'anonymous', cluster, null);
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

t.teardown(() => t.comment(`${compared.pairs} pairs`));

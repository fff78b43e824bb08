// What a caller may not know answers like what does not exist: a part of the pairs of the long test of this
// name, of each door some, and all about a field that leads somewhere.
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import {
  type Asked,
  aboutCollection,
  aboutField,
  aboutItem,
  some,
} from './fixture/hidden-doors.ts';
import { compare, Person, plain } from './fixture/hidden-pairs.ts';
import { EDITOR, HIDE, KNOWN, MEMBER } from './fixture/hidden-site.ts';

const env = {
  WEBSOCKETS_ENABLED: 'true',
  // No person answers pings, and some say nothing for long.
  WEBSOCKETS_HEARTBEAT_ENABLED: 'false',
  WEBSOCKETS_REST_AUTH: 'public',
  WEBSOCKETS_GRAPHQL_AUTH: 'public',
};
const cluster = await startCluster(t, { workers: 1, env });
const { db } = cluster;
await db.query(KNOWN);
await cluster.served('/items/docs?fields=item:pages.title');
const member = new Person(t, 'member', cluster, (await createMember(cluster, MEMBER)).token);
const editor = new Person(t, 'editor', cluster, (await createMember(cluster, EDITOR)).token);

t.test('a new relation to hidden items changes nothing', async (t) => {
  const bodies = [{ keeper: { id: 1 } }, { keeper: null }, { hoard: [1] }];
  const asked = bodies.flatMap((body): Asked[] => [
    { by: 'PATCH', to: '/items/docs/1', body },
    {
      by: 'POST',
      to: '/utils/import/docs?dry_run=true',
      file: ['a.json', JSON.stringify([{ id: 4, ...body }])],
    },
  ]);
  const answers = async () => {
    const found: string[] = [];
    for (const one of asked) found.push(plain(await member.ask(one), ' ', ' '));
    return found;
  };
  const before = await answers();
  await db.query(HIDE);
  await cluster.served('/items/docs?fields=hoard,item:hidden_plain.title,hidden_list,keeper.title');
  t.strictSame(await answers(), before);
});

for (const [name, about, step] of [
  ['hidden_page', aboutField, 2],
  ['hidden_list', aboutField, 7],
  ['hidden_secret', aboutField, 11],
  ['hidden_plain', aboutCollection, 5],
  ['hidden_wide', aboutCollection, 11],
] as const) {
  t.test(`what is hidden and what does not exist answer alike: ${name}`, async (t) => {
    const missing = name.replace('hidden', 'absent');
    await compare(t, member, [name, missing], (asked) => some(about(asked), step));
  });
}

t.test('items that are hidden and items that do not exist answer alike', async (t) => {
  await compare(t, editor, ['70001', '90001'], (key) => some(aboutItem(key), 3));
});

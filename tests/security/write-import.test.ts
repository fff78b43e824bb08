import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission, type MemberUser } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

const may = (
  action: GivenPermission['action'],
  more: Partial<GivenPermission> = {},
): GivenPermission => ({ collection: 'things', action, ...more });

async function importAs(member: MemberUser, csv: string, collection = 'things') {
  const form = new FormData();
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'a.csv');
  const { status, body } = await member.upload(`/utils/import/${collection}`, form);
  return [status, body?.errors?.[0]?.extensions.code];
}

async function rows() {
  return (await cluster.db.query('SELECT id, name, hidden FROM things ORDER BY id')).rows;
}

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(`
    CREATE TABLE things (id int PRIMARY KEY, name text, hidden text);
    INSERT INTO things VALUES (1, 'one', 'secret');`);
  await until(async () => (await cluster.fetch('/items/things')).ok, 'the table is known');
});

t.test('what single rows would be asked for is refused before anything is read', async (t) => {
  const all = [may('create'), may('update'), may('read')];
  const some = { permissions: { id: { _gt: 100 } } };
  const cases: Record<string, GivenPermission[]> = {
    nothing: [],
    'no creation': [may('update'), may('read')],
    'no update': [may('create'), may('read')],
    'update of some': [may('create'), may('update', some), may('read')],
    validation: [...all, may('create', { validation: { name: { _eq: 'x' } } })],
    presets: [...all, may('update', { presets: { name: 'x' } })],
  };
  for (const [name, permissions] of Object.entries(cases)) {
    const member = await createMember(cluster, permissions);
    t.strictSame(await importAs(member, 'id,name\n1,mine\n'), [403, 'FORBIDDEN'], name);
  }
  const member = await createMember(cluster, all);
  t.strictSame(await importAs(member, 'id\n1\n', 'system_users'), [403, 'FORBIDDEN']);
  t.strictSame(await importAs(member, 'id\n1\n', 'nothing'), [403, 'FORBIDDEN']);
  t.strictSame(await rows(), [{ id: 1, name: 'one', hidden: 'secret' }]);
});

t.test('a file fills no field that its sender may not create, update and read', async (t) => {
  const known = { fields: ['id', 'name'] };
  const without: Record<string, GivenPermission[]> = {
    create: [may('create', known), may('update'), may('read')],
    update: [may('create'), may('update', known), may('read')],
    read: [may('create'), may('update'), may('read', known)],
    'read of all': [
      may('create'),
      may('update'),
      may('read', known),
      may('read', { permissions: { id: { _gt: 100 } } }),
    ],
  };
  for (const [name, permissions] of Object.entries(without)) {
    const member = await createMember(cluster, permissions);
    const refused = await importAs(member, 'id,hidden\n1,guess\n');
    t.strictSame(refused, [400, 'INVALID_PAYLOAD'], name);
    t.strictSame(await importAs(member, 'id,name\n1,mine\n2,new\n'), [200, undefined], name);
  }
  t.strictSame(await rows(), [
    { id: 1, name: 'mine', hidden: 'secret' },
    { id: 2, name: 'new', hidden: null },
  ]);
});

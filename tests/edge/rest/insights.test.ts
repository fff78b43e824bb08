// @newest
/** Dashboards and panels are system collections: routes, a well-known client, GraphQL and rights. */
import {
  createDashboard,
  createDirectus,
  createPanel,
  deleteDashboard,
  deletePanel,
  readDashboard,
  readDashboards,
  readPanel,
  readPanels,
  rest,
  staticToken,
  updateDashboard,
  updatePanel,
} from '@directus/sdk';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';

const cluster = await startCluster(t);
const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
const PLACE = { position_x: 1, position_y: 1, width: 6, height: 4 };

t.test('a well-known client keeps dashboards and panels', async (t) => {
  const client = createDirectus(cluster.url).with(rest()).with(staticToken(ADMIN_TOKEN));
  const ask: typeof client.request = (command) => client.request(command);
  const sales = await ask(createDashboard({ name: 'Sales', color: '#6644FF' }));
  t.match(sales, { name: 'Sales', icon: 'dashboard', color: '#6644FF', note: null, panels: [] });
  t.ok(sales.date_created);
  const options = { collection: 'orders', function: 'sum', valueField: 'total' };
  const panel = await ask(
    createPanel({ dashboard: sales.id, type: 'metric', name: 'Total', options, ...PLACE }),
  );
  t.match(panel, { dashboard: sales.id, show_header: false, options, ...PLACE });
  t.match(await ask(updatePanel(panel.id, { width: 8, show_header: true })), {
    width: 8,
    show_header: true,
  });
  t.match(await ask(readPanel(panel.id, { fields: ['name', { dashboard: ['name'] }] })), {
    name: 'Total',
    dashboard: { name: 'Sales' },
  });
  t.match(await ask(updateDashboard(sales.id, { note: 'of this year' })), { note: 'of this year' });
  t.match(await ask(readDashboards({ fields: ['name', { panels: ['type'] }] })), [
    { name: 'Sales', panels: [{ type: 'metric' }] },
  ]);
  const other = await ask(createPanel({ dashboard: sales.id, type: 'list', ...PLACE }));
  await ask(deletePanel(other.id));
  t.strictSame((await ask(readDashboard(sales.id))).panels, [panel.id]);
  await ask(deleteDashboard(sales.id));
  t.strictSame(await ask(readPanels()), [], 'its panels went with it');
});

t.test('a dashboard is made with its panels, and read by query and by GraphQL', async (t) => {
  const made = await admin('POST', '/dashboards?fields=id,user_created,panels.name', {
    name: 'Stock',
    panels: [{ type: 'list', name: 'Low', ...PLACE }],
  });
  t.match(made.body.data, { panels: [{ name: 'Low' }] });
  t.ok(made.body.data.user_created);
  const { id } = made.body.data;
  const found = await admin('SEARCH', '/panels', {
    query: { filter: { dashboard: { name: { _eq: 'Stock' } } }, fields: ['name'] },
  });
  t.strictSame(found.body.data, [{ name: 'Low' }]);
  const graphql = (query: string) => admin('POST', '/graphql/system', { query });
  t.strictSame(
    (await graphql('{ dashboards { name panels { name width } } }')).body.data.dashboards,
    [{ name: 'Stock', panels: [{ name: 'Low', width: 6 }] }],
  );
  const created = await graphql(`mutation {
    create_panels_item(data: { dashboard: { id: "${id}" }, type: "label", position_x: 1, position_y: 5,
      width: 3, height: 2 }) { type }
  }`);
  t.strictSame(created.body.data.create_panels_item, { type: 'label' });
  const history = await admin('GET', '/revisions?filter[collection][_eq]=system_panels');
  t.equal(history.body.data.length >= 2, true, 'changes have a history');
  const refused = await admin('POST', '/panels', { dashboard: id, type: 'list' });
  t.strictSame([refused.status, refused.code], [400, 'FAILED_VALIDATION'], 'a panel has a place');
  const document = (await admin('GET', '/server/specs/oas')).body;
  t.ok(document.paths['/dashboards/{key}']?.patch, 'OpenAPI describes it');
});

t.test('app access reads, and only rights write', async (t) => {
  const app = await createMember(cluster, [], { app: true });
  const guest = await createMember(cluster, []);
  const editor = await createMember(
    cluster,
    [
      { collection: 'system_dashboards', action: 'create', fields: ['name'] },
      { collection: 'system_dashboards', action: 'update', permissions: {} },
    ],
    { app: true },
  );
  t.match((await app.send('GET', '/dashboards?fields=name,panels.type')).body.data, [
    { name: 'Stock', panels: { length: 2 } },
  ]);
  t.strictSame((await app.send('GET', '/panels?fields=type&sort=type')).body.data, [
    { type: 'label' },
    { type: 'list' },
  ]);
  t.strictSame((await guest.send('GET', '/dashboards')).status, 403);
  t.strictSame((await guest.send('GET', '/panels')).status, 403);
  const [{ id }] = (await app.send('GET', '/dashboards')).body.data;
  t.equal((await app.send('POST', '/dashboards', { name: 'Mine' })).status, 403);
  t.equal((await app.send('PATCH', `/dashboards/${id}`, { name: 'Mine' })).status, 403);
  t.equal((await app.send('DELETE', `/dashboards/${id}`)).status, 403);
  t.equal((await app.send('DELETE', '/panels', { query: {} })).status, 403);
  const own = await editor.send('POST', '/dashboards', { name: 'Theirs' });
  t.match(own.body.data, { name: 'Theirs', user_created: editor.id });
  t.equal((await editor.send('POST', '/dashboards', { name: 'x', icon: 'star' })).status, 403);
  t.equal((await editor.send('PATCH', `/dashboards/${id}`, { note: 'seen' })).status, 200);
  t.equal((await editor.send('DELETE', `/dashboards/${id}`)).status, 403);
  t.equal(
    (await editor.send('PATCH', '/dashboards', { keys: [id], data: { date_created: null } }))
      .status,
    403,
  );
});

/** Geometries where PostGIS is installed: read, written, imported, filtered, by their indexes. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { makeTemplate } from '#tests/harness/database.ts';
import { sendAs } from '#tests/harness/member.ts';
import { startPostgis } from '#tests/harness/postgis.ts';
import { until } from '#tests/harness/until.ts';

const server = await startPostgis();
process.env.TEST_POSTGRES_URL = server.url;
await makeTemplate();
// Taken down last, because its databases are dropped before.
t.teardown(() => server.stop());
const cluster = await startCluster(t, { workers: 1 });
const { db } = cluster;
await db.query(`
  CREATE SCHEMA gis;
  CREATE EXTENSION postgis SCHEMA gis;
  CREATE TABLE places (id serial PRIMARY KEY, name text, at gis.geometry(Point, 4326),
    area gis.geometry(Polygon, 4326), shape gis.geometry, local gis.geometry(Point, 3857));
  CREATE INDEX ON places USING gist (at);
  INSERT INTO places (name, at, area, shape, local) VALUES
    ('a', gis.st_setsrid(gis.st_point(1, 1), 4326),
      gis.st_setsrid(gis.st_geomfromtext('POLYGON((0 0,0 2,2 2,2 0,0 0))'), 4326),
      gis.st_setsrid(gis.st_geomfromtext('LINESTRING(0 0,5 5)'), 4326),
      gis.st_transform(gis.st_setsrid(gis.st_point(1, 1), 4326), 3857)),
    ('b', gis.st_setsrid(gis.st_point(10, 10), 4326), NULL,
      gis.st_setsrid(gis.st_geomfromtext('LINESTRING(0 1,4 5)'), 4326), NULL),
    ('c', NULL, NULL, NULL, NULL);
  INSERT INTO places (name, at) SELECT 'far', gis.st_setsrid(gis.st_point(20 + i * 0.01, 50), 4326)
    FROM generate_series(1, 5000) i;
  ANALYZE places`);
const send = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
await until(async () => (await send('GET', '/items/places?limit=1')).status === 200, 'it is known');

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [0, 2],
      [2, 2],
      [2, 0],
      [0, 0],
    ],
  ],
};
const POINT = { type: 'Point', coordinates: [1, 1] };

async function names(filter: object): Promise<unknown> {
  const query = { filter: { _and: [{ id: { _lte: 3 } }, filter] }, fields: ['name'], sort: ['id'] };
  const { body, code } = await send('SEARCH', '/items/places', { query });
  return code ?? body.data.map(({ name }: { name: string }) => name).join('');
}

t.test('are read as GeoJSON, of their own type', async (t) => {
  const { body } = await send('GET', '/items/places?limit=1&sort=id');
  t.match(body.data[0], { at: POINT, area: SQUARE, shape: { type: 'LineString' } });
  for (const [field, type] of [
    ['at', 'geometry.Point'],
    ['area', 'geometry.Polygon'],
    ['shape', 'geometry'],
  ]) {
    t.equal((await send('GET', `/fields/places/${field}`)).body.data.type, type);
  }
});

t.test('spatial operators', async (t) => {
  for (const [filter, expected] of [
    [{ at: { _intersects: SQUARE } }, 'a'],
    [{ at: { _nintersects: SQUARE } }, 'b'],
    [{ at: { _intersects: JSON.stringify(SQUARE) } }, 'a'],
    [{ at: { _intersects_bbox: SQUARE } }, 'a'],
    [{ at: { _nintersects_bbox: SQUARE } }, 'b'],
    [{ shape: { _intersects: { type: 'Point', coordinates: [1, 1] } } }, 'a'],
    [{ shape: { _intersects_bbox: { type: 'Point', coordinates: [1, 1.5] } } }, 'ab'],
    [{ local: { _intersects: SQUARE } }, 'a'],
    [{ at: { _eq: POINT } }, 'a'],
    [{ at: { _neq: POINT } }, 'b'],
    [{ at: { _null: true } }, 'c'],
    [{ area: { _intersects: { type: 'GeometryCollection', geometries: [POINT] } } }, 'a'],
    [{ at: { _intersects: 'POINT(1 1)' } }, 'INVALID_QUERY'],
    [{ at: { _intersects: { type: 'Point' } } }, 'INVALID_QUERY'],
    [{ at: { _intersects: { type: 'Point', coordinates: ['1', 1] } } }, 'INVALID_QUERY'],
    [{ at: { _eq: 'x' } }, 'INVALID_QUERY'],
    [{ at: { _contains: 'x' } }, 'INVALID_QUERY'],
    [{ name: { _intersects: POINT } }, 'INVALID_QUERY'],
  ] as const) {
    t.equal(await names(filter), expected, JSON.stringify(filter));
  }
  const url = '/items/places?fields=name&filter[at][_intersects]';
  const json = await send('GET', `${url}=${encodeURIComponent(JSON.stringify(SQUARE))}`);
  t.strictSame(json.body.data, [{ name: 'a' }]);
  const bracket = `${url}[type]=Point&filter[at][_intersects][coordinates][]=1&filter[at][_intersects][coordinates][]=1`;
  t.strictSame((await send('GET', bracket)).body.data, [{ name: 'a' }]);
});

t.test('the index serves', async (t) => {
  const asked = JSON.stringify(SQUARE);
  for (const condition of [
    'at OPERATOR("gis".&&) "gis"."st_geomfromgeojson"($1::text)',
    '"gis"."st_intersects"(at, "gis"."st_geomfromgeojson"($1::text))',
  ]) {
    const { rows } = await db.query(`EXPLAIN SELECT FROM places WHERE ${condition}`, [asked]);
    t.match(JSON.stringify(rows), /places_at_idx/, condition);
  }
});

t.test('other clauses', async (t) => {
  for (const query of [
    { sort: ['at'] },
    { groupBy: ['at'] },
    { aggregate: { min: 'at' } },
    { aggregate: { sum: 'at' } },
  ]) {
    t.equal((await send('SEARCH', '/items/places', { query })).code, 'INVALID_QUERY');
  }
  const counted = await send('GET', '/items/places?aggregate[countDistinct]=area');
  t.equal(counted.body.data[0].countDistinct.area, '1');
});

t.test('are written from GeoJSON', async (t) => {
  const made = await send('POST', '/items/places', { name: 'new', at: POINT, area: SQUARE });
  t.match(made.body.data, { at: POINT, area: SQUARE });
  const { id } = made.body.data;
  const moved = { type: 'Point', coordinates: [3, 4] };
  t.match((await send('PATCH', `/items/places/${id}`, { at: moved })).body.data, { at: moved });
  for (const bad of [{ at: 'POINT(1 1)' }, { at: { type: 'Point' } }, { at: 5 }, { at: SQUARE }]) {
    t.equal((await send('PATCH', `/items/places/${id}`, bad)).status, 400, JSON.stringify(bad));
  }
  const { rows } = await db.query(
    `SELECT id FROM system_revisions WHERE collection = 'places' ORDER BY id LIMIT 1`,
  );
  t.equal((await send('POST', `/utils/revert/${rows[0].id}`)).status, 204);
  t.match((await send('GET', `/items/places/${id}`)).body.data, { at: POINT });
});

t.test('are imported and exported', async (t) => {
  const upload = async (name: string, type: string, text: string) => {
    const form = new FormData();
    form.set('file', new Blob([text], { type }), name);
    return await cluster.fetch('/utils/import/places', { method: 'POST', body: form });
  };
  const json = JSON.stringify([{ name: 'json', at: POINT }]);
  t.equal((await upload('a.json', 'application/json', json)).status, 200);
  const csv = `name,at\ncsv,"${JSON.stringify(POINT).replaceAll('"', '""')}"\n`;
  t.equal((await upload('a.csv', 'text/csv', csv)).status, 200);
  const found = await send('GET', '/items/places?filter[name][_in]=json,csv&fields=at');
  t.strictSame(found.body.data, [{ at: POINT }, { at: POINT }]);
  t.equal((await upload('b.csv', 'text/csv', 'name,at\nx,nowhere\n')).status, 400);
  const exported = await cluster.fetch('/items/places?export=csv&fields=at&limit=1&sort=id');
  t.match(await exported.text(), /Point/);
});

t.test('fields of geometry are made', async (t) => {
  const field = { field: 'line', type: 'geometry.LineString', schema: {} };
  t.equal((await send('POST', '/fields/places', field)).status, 200);
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  };
  t.match((await send('POST', '/items/places', { line })).body.data, { line });
});

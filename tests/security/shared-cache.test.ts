// @newest

// An answer that depends on where its reader is may not be kept for others: a policy of anonymous callers
// that holds at some addresses only makes their answers private ones, at every address.
import { pino } from 'pino';
import t from 'tap';
import { AccessSource } from '#core/access/access-source.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { cacheHeaders } from '#edge/cache/cache-headers.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';

const POLICY = '00000000-0000-4000-8000-000000000001';

t.test('data for anonymous callers at some addresses is not shared', async (t) => {
  const url = await createSystemDatabase(t);
  const log = pino({ level: 'silent' });
  const config = loadConfig({ CACHE_ENABLED: 'true', CACHE_CONTROL_S_MAXAGE: '1m' });
  const pool = createPool(config, url, log, { name: 'test', max: 1, statementTimeout: 0 });
  t.teardown(() => pool.end());
  await pool.query(
    `INSERT INTO system_policies (id, name) VALUES ('${POLICY}', 'of anonymous callers');
     INSERT INTO system_access (policy) VALUES ('${POLICY}')`,
  );
  const trust = async () => undefined;
  const catalog = { onAccess: () => () => undefined, inContact: () => true, trust };
  const access = new AccessSource({ pool, schema: 'public', catalog, log });
  const request = { header: () => undefined };
  const headersAt = async (ip: string | null, zero = false) => {
    const caller = await access.callerOf(null, ip);
    const given = zero ? loadConfig({ CACHE_ENABLED: 'true' }) : config;
    return cacheHeaders(given, request, caller, { text: Buffer.from('{}'), hit: false });
  };
  const vary = { Vary: 'Authorization, Cookie' };
  t.match(await headersAt('10.0.0.1'), {
    'Cache-Control': 'public, max-age=0, s-maxage=60',
    ...vary,
  });
  t.match(await headersAt('10.0.0.1', true), { 'Cache-Control': 'public, max-age=0', ...vary });
  await pool.query(`UPDATE system_policies SET ip_access = '10.0.0.0/8' WHERE id = '${POLICY}'`);
  access.forget(null);
  for (const ip of ['10.0.0.1', '8.8.8.8', null]) {
    t.match(await headersAt(ip), { 'Cache-Control': 'private, max-age=0' }, String(ip));
    t.match(await headersAt(ip, true), { 'Cache-Control': 'private, max-age=0' }, String(ip));
  }
});

// @newest @quick

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, loadConfig } from '#core/config/config.ts';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

t.test('unset and empty variables have their defaults', async (t) => {
  const config = loadConfig({ PORT: '' });
  t.match(config, { PORT: 8055, HOST: '127.0.0.1', DATABASE_SCHEMA: ['public'] });
  t.equal(config.DATABASE_URL, undefined);
});

t.test('durations and sizes are milliseconds and bytes', async (t) => {
  const config = loadConfig({
    QUERY_TIMEOUT: '1.5s',
    BODY_MAX_SIZE: '2mb',
    DATABASE_SCHEMA: 'a, b',
  });
  t.equal(config.QUERY_TIMEOUT, 1_500);
  t.equal(config.BODY_MAX_SIZE, 2 * 1024 * 1024);
  t.strictSame(config.DATABASE_SCHEMA, ['a', 'b']);
});

t.test('all faults are named together', async (t) => {
  const faults = faultsOf({
    PORT: '0',
    QUERY_TIMEOUT: '30',
    DATABASE_URL: 'mysql://x',
    LOG_LEVEL: 'loud',
  });
  t.match(faults, [/^PORT: /, /^DATABASE_URL: /, /^LOG_LEVEL: /, /^QUERY_TIMEOUT: /]);
});

t.test('a secret may stand in a file', async (t) => {
  const file = join(t.testdir(), 'token');
  writeFileSync(file, 'a-token-of-some-length\n');
  t.equal(loadConfig({ ADMIN_TOKEN_FILE: file }).ADMIN_TOKEN, 'a-token-of-some-length');
  t.match(faultsOf({ ADMIN_TOKEN_FILE: '/does/not/exist' }), [/^ADMIN_TOKEN_FILE: /]);
});

t.test('the conventional name counts when ours is unset', async (t) => {
  t.equal(loadConfig({ MAX_PAYLOAD_SIZE: '1mb' }).BODY_MAX_SIZE, 1024 ** 2);
  t.equal(
    loadConfig({ MAX_PAYLOAD_SIZE: '1mb', BODY_MAX_SIZE: '2mb' }).BODY_MAX_SIZE,
    2 * 1024 ** 2,
  );
});

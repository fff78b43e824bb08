// @newest @quick

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';
import { secretsOf } from '#core/base/config/redact-secrets.ts';

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

t.test('the time for a login on a socket may be a number of seconds without a unit', async (t) => {
  for (const name of ['WEBSOCKETS_REST_AUTH_TIMEOUT', 'WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT'] as const) {
    t.equal(loadConfig({ [name]: '1' })[name], 1_000);
    t.equal(loadConfig({ [name]: '500ms' })[name], 500);
    t.throws(() => loadConfig({ [name]: '1x' }), { message: /must be a number with a unit/ });
  }
});

t.test('file limits apply unless they are turned off', async (t) => {
  const gigabyte = 1024 ** 3;
  t.match(loadConfig({}), {
    FILES_MAX_UPLOAD_SIZE: 50 * gigabyte,
    FILES_MAX_PER_USER: 1024 * gigabyte,
  });
  t.equal(loadConfig({ FILES_MAX_UPLOAD_SIZE: 'off' }).FILES_MAX_UPLOAD_SIZE, undefined);
  t.match(faultsOf({ FILES_MAX_PER_USER: '5' }), [/^FILES_MAX_PER_USER: must be off, or a number/]);
});

t.test('all faults are reported together', async (t) => {
  const faults = faultsOf({
    PORT: '0',
    QUERY_TIMEOUT: '30',
    DATABASE_URL: 'mysql://x',
    LOG_LEVEL: 'loud',
  });
  t.match(faults, [/^PORT: /, /^DATABASE_URL: /, /^LOG_LEVEL: /, /^QUERY_TIMEOUT: /]);
});

t.test('a secret may be in a file', async (t) => {
  const file = join(t.testdir(), 'token');
  writeFileSync(file, 'a-token-of-some-length\n');
  t.equal(loadConfig({ ADMIN_TOKEN_FILE: file }).ADMIN_TOKEN, 'a-token-of-some-length');
  t.match(faultsOf({ ADMIN_TOKEN_FILE: '/does/not/exist' }), [/^ADMIN_TOKEN_FILE: /]);
});

t.test('the conventional name applies when our own is unset', async (t) => {
  t.equal(loadConfig({ MAX_PAYLOAD_SIZE: '1mb' }).BODY_MAX_SIZE, 1024 ** 2);
  t.equal(
    loadConfig({ MAX_PAYLOAD_SIZE: '1mb', BODY_MAX_SIZE: '2mb' }).BODY_MAX_SIZE,
    2 * 1024 ** 2,
  );
});

t.test('each storage location has its variables, with Directus-compatible names', async (t) => {
  t.strictSame(loadConfig({ DATA_DIR: '/d' }).locations, [
    { name: 'local', driver: 'local', root: '/d' },
  ]);
  const secret = join(t.testdir(), 'secret');
  writeFileSync(secret, 'the secret of the bucket\n');
  const config = loadConfig({
    STORAGE_LOCATIONS: 'far-away,local',
    STORAGE_FAR_AWAY_DRIVER: 's3',
    STORAGE_FAR_AWAY_BUCKET: 'files',
    STORAGE_FAR_AWAY_ROOT: 'sluice',
    STORAGE_FAR_AWAY_ENDPOINT: 'http://127.0.0.1:9000',
    STORAGE_FAR_AWAY_FORCE_PATH_STYLE: 'true',
    STORAGE_FAR_AWAY_KEY: 'key',
    STORAGE_FAR_AWAY_SECRET_FILE: secret,
    STORAGE_LOCAL_ROOT: '/srv',
  });
  t.strictSame(config.locations, [
    {
      ...{ name: 'far-away', driver: 's3', root: 'sluice', bucket: 'files', region: 'us-east-1' },
      ...{ endpoint: 'http://127.0.0.1:9000', forcePathStyle: true, redirect: false },
      credentials: { key: 'key', secret: 'the secret of the bucket' },
    },
    { name: 'local', driver: 'local', root: '/srv' },
  ]);
  t.ok(secretsOf(config).includes('the secret of the bucket'));
});

t.test('faults in the variables of storage locations are reported', async (t) => {
  const s3 = { STORAGE_LOCATIONS: 's3', STORAGE_S3_DRIVER: 's3' };
  t.match(faultsOf(s3), [/^STORAGE_S3_BUCKET: /]);
  const bucket = { ...s3, STORAGE_S3_BUCKET: 'b' };
  t.match(faultsOf({ ...bucket, STORAGE_S3_KEY: 'k' }), [/^STORAGE_S3_KEY: .*STORAGE_S3_SECRET/]);
  t.match(faultsOf({ ...bucket, STORAGE_S3_ENDPOINT: 'x' }), [/^STORAGE_S3_ENDPOINT: /]);
  t.match(faultsOf({ ...bucket, STORAGE_S3_FORCE_PATH_STYLE: 'x' }), [/^STORAGE_S3_FORCE/]);
  t.match(faultsOf({ STORAGE_LOCAL_DRIVER: 'gcs' }), [/^STORAGE_LOCAL_DRIVER: /]);
  t.match(faultsOf({ STORAGE_LOCATIONS: 'a,a' }), [/^STORAGE_LOCATIONS: /]);
  t.match(faultsOf({ STORAGE_LOCATIONS: 'a b' }), [/^STORAGE_LOCATIONS: /]);
  t.match(faultsOf({ STORAGE_PART_SIZE: '1mb' }), [/^STORAGE_PART_SIZE: /]);
  t.match(faultsOf({ STORAGE_PART_SIZE: '40mb' }), [/^STORAGE_UPLOAD_MEMORY: /]);
});

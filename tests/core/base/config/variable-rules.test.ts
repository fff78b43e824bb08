// @newest @quick

import t from 'tap';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';

function faults(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

t.test('contradicting limits are reported at start', async (t) => {
  t.strictSame(faults({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_GLOBAL_ENABLED: 'true' }), []);
  t.match(faults({ RATE_LIMIT_GLOBAL_ENABLED: 'true' }), [/needs RATE_LIMIT_ENABLED/]);
  const both = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_GLOBAL_ENABLED: 'true' };
  t.match(faults({ ...both, RATE_LIMIT_GLOBAL_POINTS: '50' }), [/RATE_LIMIT_GLOBAL_POINTS/]);
  t.match(faults({ ...both, RATE_LIMIT_GLOBAL_DURATION: '60' }), [/RATE_LIMIT_GLOBAL_POINTS/]);
  t.match(faults({ RATE_LIMIT_STORE: 'redis' }), [/needs REDIS_URL/]);
  t.match(faults({ RATE_LIMIT_STORE: 'redis', RATE_LIMIT_GLOBAL_ENABLED: 'true' }), [
    /RATE_LIMIT_STORE/,
    /RATE_LIMIT_GLOBAL_ENABLED/,
  ]);
});

t.test('the monitor needs a separate port', async (t) => {
  t.match(faults({ PORT: '9000', MONITOR_PORT: '9000' }), [/^MONITOR_PORT: must be another/]);
  t.match(faults({ PORT: '8056', HOST: '0.0.0.0' }), [/^MONITOR_PORT/]);
  t.strictSame(faults({ PORT: '8056', MONITOR_PORT: '0' }), []);
  t.strictSame(faults({ PORT: '8056', HOST: '192.0.2.1' }), []);
});

t.test('the conventional names apply too, after our own', async (t) => {
  const { RATE_LIMIT_POINTS, RATE_LIMIT_LOGIN_ENABLED, RATE_LIMIT_REGISTRATION_POINTS } =
    loadConfig({
      RATE_LIMITER_POINTS: '7',
      RATE_LIMITER_REGISTRATION_POINTS: '8',
      RATE_LIMIT_REGISTRATION_POINTS: '9',
    });
  t.strictSame(
    [RATE_LIMIT_POINTS, RATE_LIMIT_LOGIN_ENABLED, RATE_LIMIT_REGISTRATION_POINTS],
    [7, true, 9],
  );
});

// @newest @quick

import t from 'tap';
import { variables } from '#core/config/variables.ts';
import { configTable } from '#ops/config.ts';

function rowOf(table: string, name: string): string[] {
  const row = table.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? '';
  return row.split('|').map((cell) => cell.trim());
}

t.test('every variable has a row with its default and meaning', async (t) => {
  const table = configTable({});
  for (const [name, { meaning }] of Object.entries(variables)) {
    t.ok(rowOf(table, name)[4]?.startsWith(meaning), name);
  }
  t.equal(rowOf(table, 'PORT')[2], '8055');
  t.equal(rowOf(table, 'PORT')[3], '');
});

t.test('what is set is marked, and no secret is shown', async (t) => {
  const table = configTable({
    PORT: '9000',
    DATABASE_URL: 'postgres://me:canary@example.org/x',
    ADMIN_TOKEN_FILE: '/run/secrets/token',
    MAX_PAYLOAD_SIZE: '1mb',
  });
  t.equal(rowOf(table, 'PORT')[3], '9000');
  t.equal(rowOf(table, 'DATABASE_URL')[3], '(secret)');
  t.equal(rowOf(table, 'ADMIN_TOKEN')[3], '(from /run/secrets/token)');
  t.equal(rowOf(table, 'BODY_MAX_SIZE')[3], '1mb (by MAX_PAYLOAD_SIZE)');
  t.notMatch(table, 'canary');
});

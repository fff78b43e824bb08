/** Secrets in a file are hashed, so many and no more. */
import t from 'tap';
import { importing } from './importing.ts';

const SETUP = `
  CREATE TABLE member (id int PRIMARY KEY, name text, password text, pin text);
  DELETE FROM system_fields WHERE collection = 'member';
  INSERT INTO system_fields (collection, field, special)
    VALUES ('member', 'password', 'hash'), ('member', 'pin', 'hash');
  INSERT INTO member VALUES (1, 'a', 'hash of old', NULL)`;

t.test('secrets are stored as hashes; their masks in answers change nothing', async (t) => {
  const db = await importing(SETUP);
  const rows = [
    { id: 1, name: 'b', password: '**********', pin: '1' },
    { id: 2, password: 'two', pin: null },
    { id: 3 },
  ];
  t.match(await db.import('member', JSON.stringify(rows), 'json'), { inserted: 2, updated: 1 });
  t.strictSame(await db.rows('SELECT id, name, password, pin FROM member ORDER BY id'), [
    { id: 1, name: 'b', password: 'hash of old', pin: 'hash of 1' },
    { id: 2, name: null, password: 'hash of two', pin: null },
    { id: 3, name: null, password: null, pin: null },
  ]);
  await db.import('member', 'id,password\n4,four\n');
  t.strictSame(await db.rows('SELECT password FROM member WHERE id = 4'), [
    { password: 'hash of four' },
  ]);
});

t.test('more than 1,000 secrets are rejected, and the rows named', async (t) => {
  const db = await importing(SETUP);
  const row = (_: unknown, index: number) => `${index + 10},${index === 3 ? '' : 'x'},y`;
  const csv = (count: number) =>
    `id,password,pin\n${Array.from({ length: count }, row).join('\n')}\n`;
  const faults = await db.refused('member', csv(503));
  t.match(faults, [
    { code: 'INVALID_PAYLOAD', row: 501, field: 'pin', value: null },
    { row: 502, field: 'password' },
    { row: 502, field: 'pin' },
    { row: 503, field: 'password' },
    { row: 503, field: 'pin' },
  ]);
  t.equal(faults.length, 5);
  t.strictSame(await db.rows('SELECT count(*)::int AS n FROM member'), [{ n: 1 }]);
  t.match(await db.import('member', csv(500)), { inserted: 500 });
});

// @newest
/**
 * Missed changes are detected: a lost message, and processes that ended without an announcement.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import type { Messages } from '#core/messaging/bus.ts';
import { RegisteredProcess } from '#core/model/system/process-registry.ts';
import type { Change } from '#core/write/changes/change.ts';
import { ChangeReceiver } from '#core/write/changes/change-receiver.ts';
import { install } from '#tests/core/model/catalog/installation.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });
const KNOWS = { catalog: 1, access: 1, sessions: 1, reset: 0, trouble: null };
const created: Change = { collection: 'a', action: 'create', keys: ['1'], user: null };

type Told = Messages['items.changed'];

t.test('messages are counted', async (t) => {
  const { pool } = await install(t);
  const hearers: ((message: Told) => void)[] = [];
  const resumed: (() => void)[] = [];
  const bus = {
    subscribe: (_: string, handler: (message: Told) => void) => {
      hearers.push(handler);
      return () => undefined;
    },
    onResumed: (handler: () => void) => {
      resumed.push(handler);
      return () => undefined;
    },
  };
  const told: string[] = [];
  const heard = new ChangeReceiver(
    { bus, pool, schema: 'public', log },
    {
      changed: (changes) => told.push(`${changes.length}`),
      missed: (reason) => told.push(reason),
    },
  );
  t.teardown(() => heard.close());
  const id = randomUUID();
  const send = (sent: number, changes: Change[] = [created], more = {}) => {
    for (const hear of hearers) hear({ changes, sender: { id, sent, ...more } });
    return told.splice(0);
  };
  t.strictSame(send(5), ['1'], 'the first one from a process');
  t.strictSame(send(6), ['1']);
  t.strictSame(send(6), [], 'twice the same');
  t.strictSame(send(6, []), [], 'none is missing');
  t.strictSame(send(5), [], 'sent again on a new connection');
  t.strictSame(send(7), ['1']);
  t.strictSame(send(9), ['a message was lost']);
  t.strictSame(send(10), ['1']);
  t.strictSame(send(11, []), ['a message was lost'], 'the last one was lost');
  for (const handler of resumed) handler();
  t.strictSame(told.splice(0), ['the connection for messages was interrupted']);
  for (const hear of hearers) hear({ changes: [created] });
  t.strictSame(told.splice(0), ['1'], 'an earlier release does not count');

  const member = () =>
    new RegisteredProcess({
      id: randomUUID(),
      pool,
      schema: 'public',
      kind: 'edge',
      lease: 60_000,
      form: 1,
    });
  const [dying, leaving] = [member(), member()];
  for (const one of [dying, leaving]) await one.join(KNOWS);
  // The registry is looked at every two seconds.
  await until(async () => (await heard.look()) === 2, 'both are known');
  for (const hear of hearers) {
    hear({ changes: [], sender: { id: leaving.id, sent: 0, ended: true } });
  }
  await leaving.leave();
  await heard.look();
  t.strictSame(told.splice(0), [], 'a process that announces its end has published everything');
  await dying.leave();
  await heard.look();
  t.strictSame(told.splice(0), ['a process ended without a word']);
});

/**
 * A process that holds much which nothing accounts for asks its WebSockets, and ends those in the
 * middle of a message: of the holder with the most of them first.
 */
import t from 'tap';
import { createLog } from '#core/base/log/log.ts';
import { type AskedConnection, HalfSentMessages } from '#edge/http/half-sent.ts';

const MEGABYTE = 1_048_576;

/** Connections of 1 MB each that answer pings or not, and a process whose memory the test decides. */
function scene(holders: readonly string[]) {
  const state = { held: 50 * MEGABYTE, now: 0, pings: 0, messages: 0, ended: [] as string[] };
  const connections = new Set<AskedConnection>();
  const log = createLog({ LOG_LEVEL: 'silent' }, 'test');
  const messages = new HalfSentMessages({
    ...{ log, connections: () => connections, limit: 100 * MEGABYTE },
    ...{ unaccounted: () => state.held, now: () => state.now },
  });
  for (const holder of holders) {
    const connection: AskedConnection = {
      holder,
      messageLimit: MEGABYTE,
      ask(by) {
        if (holder === 'without heartbeat' && by === 'message') return false;
        if (by === 'frame') state.pings += 1;
        else state.messages += 1;
        if (holder === 'honest') messages.heard(connection, 'message');
        if (holder === 'between frames') messages.heard(connection, 'frame');
        return true;
      },
      cut() {
        state.ended.push(holder);
        state.held -= MEGABYTE;
        connections.delete(connection);
      },
    };
    connections.add(connection);
  }
  const later = (ms: number) => {
    state.now += ms;
    messages.look();
  };
  const waitForAnswers = () => {
    later(2_000);
    later(250);
  };
  t.teardown(() => messages.close());
  return { state, later, waitForAnswers, messages, connections };
}

const many = (holder: string, count: number) => Array<string>(count).fill(holder);

t.test('ends those without an answer, of the holder with the most first', async (t) => {
  const { state, later, waitForAnswers } = scene([
    ...many('honest', 20),
    ...many('few', 5),
    ...many('most', 60),
  ]);
  later(0);
  t.equal(state.pings, 0, 'asks nothing while little is held');
  state.held += 150 * MEGABYTE;
  later(250);
  t.equal(state.pings, 85);
  later(250);
  t.same([state.pings, state.ended], [85, []], 'leaves them time for an answer');
  waitForAnswers();
  t.same(state.ended, many('most', 60), 'all of that holder, and no others');
  later(250);
  t.equal(state.pings, 85, 'and asks no more');
});

t.test('ends no connection when silent clients do not explain the memory', async (t) => {
  const { state, later, waitForAnswers } = scene([...many('honest', 20), ...many('far away', 3)]);
  state.held += 150 * MEGABYTE;
  later(250);
  waitForAnswers();
  t.same([state.pings, state.messages, state.ended], [23, 23, []], 'asks by messages, too');
  waitForAnswers();
  t.same(state.ended, []);
  later(5_000);
  t.equal(state.pings, 23, 'nor asks them all the time');
  later(5_000);
  t.equal(state.pings, 46);
});

t.test('finds clients between two frames of a message, which answer pings', async (t) => {
  const { state, later, waitForAnswers } = scene([
    ...many('honest', 20),
    ...many('without heartbeat', 10),
    ...many('between frames', 120),
  ]);
  state.held += 150 * MEGABYTE;
  later(250);
  waitForAnswers();
  t.same([state.messages, state.ended], [140, []]);
  waitForAnswers();
  t.same(state.ended, many('between frames', 120));
});

t.test('counts answers that a busy process reads after the time for them', async (t) => {
  const { state, later, messages, connections } = scene([...many('most', 60), 'slow']);
  state.held += 150 * MEGABYTE;
  later(250);
  later(9_000);
  t.same(state.ended, [], 'reads what has arrived before it ends a connection');
  for (const connection of connections) messages.heard(connection, 'frame');
  later(250);
  t.same(state.ended, []);
});

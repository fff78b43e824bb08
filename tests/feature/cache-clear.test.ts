// @newest
/** Clearing the cache clears data and schema in every process. */
import t from 'tap';
import { createEditor } from '#tests/edge/rest/fixture/editor.ts';
import { outcome } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const CACHE = { CACHE_ENABLED: 'true', CACHE_STATUS_HEADER: 'X-Cache' };
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

t.test('clearing the cache', async (t) => {
  const cluster = await startCluster(t, { workers: 1, env: CACHE });
  await cluster.db.query('CREATE TABLE note (id int PRIMARY KEY, text text)');
  await cluster.db.query("INSERT INTO note VALUES (1, 'before')");
  const other = await cluster.addEdge(CACHE);
  const urls = [cluster.url, other.url];

  const ask = async (url: string, path: string) => {
    const response = await fetch(url + path, { headers });
    const { data } = JSON.parse(await response.text());
    return { data, kept: response.headers.get('x-cache') === 'HIT' };
  };
  const clear = (init: RequestInit = {}) =>
    cluster.fetch('/utils/cache/clear', { method: 'POST', ...init });
  for (const url of urls) {
    await until(async () => (await ask(url, '/items/note/1')).kept, 'the note is kept');
  }

  await t.test('is for admins alone', async (t) => {
    const editor = await createEditor(cluster, { app: true, reads: { note: '*' } });
    t.equal(await outcome(editor('/utils/cache/clear', { method: 'POST' })), 'FORBIDDEN');
    const anonymous = fetch(`${cluster.url}/utils/cache/clear`, { method: 'POST' });
    t.equal(await outcome(anonymous), 'FORBIDDEN');
  });

  await t.test('shows data as it is', async (t) => {
    for (const url of urls) {
      await until(async () => (await ask(url, '/items/note/1')).kept, 'the note is kept');
    }
    await cluster.db.query("UPDATE note SET text = 'behind the back'");
    for (const url of urls) {
      const answer = await until(async () => {
        const found = await ask(url, '/items/note/1');
        return found.kept && found;
      }, 'what is kept is answered');
      t.match(answer, { data: { text: 'before' } });
    }
    const response = await clear();
    t.equal(response.status, 200);
    t.equal(await response.text(), '');
    for (const url of urls) {
      t.match(await ask(url, '/items/note/1'), { data: { text: 'behind the back' }, kept: false });
    }
  });

  await t.test('shows the schema as it is', async (t) => {
    // As if a process had published something wrong.
    await cluster.db.query(`
      UPDATE system_catalog SET version = version + 1000,
        descriptor = replace(descriptor::text, '"comment":null', '"comment":"wrong"')::json
      WHERE collection = 'note';
      UPDATE system_state SET version = version + 1000 WHERE name = 'catalog'`);
    const comment = async (url: string) =>
      (await ask(url, '/collections/note')).data.schema.comment;
    for (const url of urls) {
      await until(async () => (await comment(url)) === 'wrong', 'what is wrong is shown');
    }
    t.equal((await clear()).status, 200);
    for (const url of urls) t.equal(await comment(url), null);
  });

  await t.test('is a job like any other', async (t) => {
    const response = await clear({ headers: { prefer: 'respond-async' } });
    t.equal(response.status, 202);
    const location = response.headers.get('location') ?? '';
    await until(async () => {
      const { data } = await ask(cluster.url, location);
      return data.state === 'completed' && data.kind === 'cache-clear';
    }, 'the job ends');
  });

  await t.test('names the processes that do not confirm', async (t) => {
    process.kill(other.pid, 'SIGSTOP');
    t.teardown(() => process.kill(other.pid, 'SIGCONT'));
    const response = await clear();
    t.equal(response.status, 503);
    const { errors } = JSON.parse(await response.text());
    t.match(errors, [{ extensions: { code: 'SERVICE_UNAVAILABLE', service: 'cache' } }]);
    t.match(errors[0].extensions.reason, new RegExp(`edge .*:${other.pid}\\b`));
    t.notMatch(errors[0].extensions.reason, new RegExp(`:${cluster.edges[0]?.pid}\\b`));
  });
});

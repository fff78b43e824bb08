/**
 * OpenStack Swift with its S3 interface, where Debian's packages of it are installed: a strict
 * server that is independent of JavaScript. It has one server of each kind, one copy of everything,
 * and a separate folder.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Teardown } from './database.ts';
import { freePort } from './port.ts';
import { until } from './until.ts';

const PROGRAMS = ['swift-proxy-server', 'swift-ring-builder', 'memcached'];
const KINDS = ['account', 'container', 'object'] as const;
const BUCKET = 'sluice';
/** The account to which its servers switch when root starts them. */
const USER = 'swift';
const TRIES = 3;
/** Python needs time to start five servers on a busy machine. */
const START_MS = 60_000;
/** A request during the start may remain unanswered, and is repeated. */
const REQUEST_MS = 10_000;

export interface SwiftServer {
  readonly url: string;
  readonly bucket: string;
  readonly credentials: { readonly key: string; readonly secret: string };
}

function isInstalled(): boolean {
  return PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`));
}

function run(program: string, ...options: string[]): void {
  const { status, stderr } = spawnSync(program, options, { encoding: 'utf8' });
  // The ring builder exits with 1 for a warning.
  if (status === null || status > 1) throw new Error(`${program} ${options}: ${stderr}`);
}

/** The rings map data to its location: the one device of this host. */
function buildRing(folder: string, kind: string, port: number): void {
  const file = join(folder, `${kind}.builder`);
  run('swift-ring-builder', file, 'create', '4', '1', '1');
  run('swift-ring-builder', file, 'add', `r1z1-127.0.0.1:${port}/one`, '1');
  run('swift-ring-builder', file, 'rebalance');
}

function storingServer(folder: string, kind: string, port: number, user: string): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
devices = ${folder}/devices
mount_check = false
swift_dir = ${folder}
fallocate_reserve = 0
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function proxyServer(folder: string, port: number, cache: number, user: string): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${folder}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo copy proxy-server
[app:proxy-server]
use = egg:swift#proxy
error_suppression_interval = 1
allow_account_management = true
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:copy]
use = egg:swift#copy
`;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) }).then(
    (answer) => answer.status < 500,
    () => false,
  );
}

/** Runs it until the test ends; null where it is not installed. */
export async function startSwiftServer(t: Teardown): Promise<SwiftServer | null> {
  if (!isInstalled()) return null;
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(t);
    } catch (error) {
      // Another program may take one of the five free ports before it is used.
      if (tries === TRIES) throw error;
    }
  }
}

async function startOnce(t: Teardown): Promise<SwiftServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-swift-'));
  const isRoot = userInfo().uid === 0;
  const user = isRoot ? USER : userInfo().username;
  mkdirSync(join(folder, 'devices/one'), { recursive: true });
  const started: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  let output = '';
  const start = (program: string, ...options: string[]) => {
    const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    started.push(child);
  };
  const [cache, port] = [await freePort(), await freePort()];
  start('memcached', '-l', '127.0.0.1', '-p', String(cache), '-u', isRoot ? 'nobody' : user);
  const behind: string[] = [];
  for (const kind of KINDS) {
    const own = await freePort();
    behind.push(`http://127.0.0.1:${own}/healthcheck`);
    buildRing(folder, kind, own);
    writeFileSync(join(folder, `${kind}.conf`), storingServer(folder, kind, own, user));
  }
  writeFileSync(join(folder, 'proxy.conf'), proxyServer(folder, port, cache, user));
  chmodSync(folder, 0o755);
  if (isRoot) run('chown', '-R', USER, folder);
  for (const kind of [...KINDS, 'proxy'])
    start(`swift-${kind}-server`, join(folder, `${kind}.conf`));
  const url = `http://127.0.0.1:${port}`;
  const credentials = { key: 'test:tester', secret: 'testing' };
  const client = new S3Client({
    ...{ region: 'us-east-1', endpoint: url, forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: credentials.key, secretAccessKey: credentials.secret },
  });
  try {
    const isUp = async () => {
      if (started.some(({ exitCode }) => exitCode !== null)) throw new Error('a server has ended');
      // The proxy excludes backend servers that are not ready when it checks them.
      for (const one of [...behind, url]) if (!(await answers(one))) return false;
      return true;
    };
    await until(isUp, 'Swift answers', START_MS);
    const create = () =>
      client.send(new CreateBucketCommand({ Bucket: BUCKET }), {
        abortSignal: AbortSignal.timeout(REQUEST_MS),
      });
    // The signal does not abort the reading of a response.
    const isLate = async () => {
      await delay(2 * REQUEST_MS, null, { ref: false });
      throw new Error('Swift does not answer');
    };
    const isCreated = () =>
      Promise.race([create(), isLate()]).then(
        () => true,
        // An earlier unanswered request may have created it.
        (error: unknown) => error instanceof Error && error.name === 'BucketAlreadyOwnedByYou',
      );
    await until(isCreated, 'there is a bucket', START_MS);
  } catch (error) {
    throw new Error(`Swift does not start:\n${output}`, { cause: error });
  } finally {
    client.destroy();
  }
  return { url, bucket: BUCKET, credentials };
}

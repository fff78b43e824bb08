/**
 * Debian's PgBouncer as a transaction pooler in front of a test server: installed if missing, on a
 * loopback port. The distribution's service is not changed.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from './database.ts';
import { freePort } from './port.ts';

/** Prevents Debian from starting the service of an installed package. */
const POLICY = '/usr/sbin/policy-rc.d';

function install(): void {
  if (!spawnSync('pgbouncer', ['--version']).error) return;
  if (process.getuid?.() !== 0) throw new Error('pgbouncer is not installed: apt-get needs root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: 'inherit' } as const;
  const isMine = !existsSync(POLICY);
  if (isMine) {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
    chmodSync(POLICY, 0o755);
  }
  try {
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'pgbouncer'], options);
  } finally {
    if (isMine) rmSync(POLICY);
  }
}

export interface Pooler {
  /** The database's URL with the pooler's address. */
  readonly url: string;
  /** Its release, such as `1.18.0`. */
  readonly version: string;
}

/** Starts it in front of a database; it ends with the test. */
export async function startPooler(t: Teardown, databaseUrl: string): Promise<Pooler> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pooler-'));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const target = new URL(databaseUrl);
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
`,
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn('pgbouncer', [...account, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    // With other signals, some releases wait for connected clients.
    child.kill('SIGQUIT');
    await exit;
  });
  let output = '';
  for await (const chunk of child.stderr) {
    output += String(chunk);
    if (output.includes('process up')) break;
  }
  if (!output.includes('process up')) throw new Error(`pgbouncer ended:\n${output}`);
  const address = new URL(databaseUrl);
  address.host = `127.0.0.1:${port}`;
  const printed = execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return { url: address.href, version: /PgBouncer (\S+)/.exec(printed)?.[1] ?? '' };
}

/** Hosts as network namespaces on a bridge; needs root and the program `ip`. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { type Host, type Network, outputOf } from './network.ts';

const FOLDER = '/run/netns';

function ip(...args: readonly string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Existing objects need no second attempt. */
function tryIp(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It no longer exists.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pidsIn(namespace: string): number[] {
  return ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);
}

/** Kills all processes in a namespace, including those started in the meantime, and removes it. */
function remove(namespace: string): void {
  for (let left = pidsIn(namespace); left.length > 0; left = pidsIn(namespace)) {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    }
  }
  tryIp('netns', 'del', namespace);
}

/** The prefix of the names of a run, followed by its process id. */
const PREFIX = 'sluice-';

/** Removes the leftovers of killed runs. */
function sweep(): void {
  let names: string[] = [];
  try {
    names = readdirSync(FOLDER);
  } catch {
    return;
  }
  for (const name of names) {
    const pid = Number(/^sluice-(\d+)-/.exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    remove(name);
    tryIp('link', 'del', `slb${pid}`);
  }
}

/** Null where namespaces cannot be created. */
export function openNamespaces(): Network | null {
  const { pid } = process;
  const bridge = `slb${pid}`;
  // A network for each run, in the range for private use.
  const subnet = `10.${64 + (pid % 128)}.${Math.floor(pid / 128) % 256}`;
  try {
    sweep();
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${subnet}.254/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
  } catch {
    tryIp('link', 'del', bridge);
    return null;
  }
  const namespaces: string[] = [];
  return {
    kind: 'namespaces',
    host(name): Host {
      const namespace = `${PREFIX}${pid}-${name}`;
      const number = namespaces.push(namespace);
      const address = `${subnet}.${number}`;
      const link = `slv${pid}n${number}`;
      const inside = ['-n', namespace];
      ip('netns', 'add', namespace);
      ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('link', 'set', link, 'master', bridge, 'up');
      ip(...inside, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
      ip(...inside, 'link', 'set', 'eth0', 'up');
      ip(...inside, 'link', 'set', 'lo', 'up');
      return {
        name,
        address,
        run(command, args, env) {
          const child = spawn('ip', ['netns', 'exec', namespace, command, ...args], {
            stdio: ['ignore', 'pipe', 'pipe'],
            ...(env === undefined ? {} : { env }),
          });
          return { process: child, output: outputOf(child) };
        },
        pids: () => pidsIn(namespace),
        cut: () => void ip('link', 'set', link, 'down'),
        heal: () => void ip('link', 'set', link, 'up'),
      };
    },
    close() {
      for (const namespace of namespaces.splice(0)) remove(namespace);
      tryIp('link', 'del', bridge);
    },
  };
}

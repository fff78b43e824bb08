/**
 * Hosts as processes with their children on this host: a disconnected host is frozen, and its
 * connections stay open.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type Host, type Network, outputOf } from './network.ts';

/** The parent of each process. */
function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number)) {
    if (!pid) continue;
    try {
      // The fields after the program name in parentheses are its state and its parent.
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      found.set(pid, Number(parent));
    } catch {
      // It has ended in the meantime.
    }
  }
  return found;
}

/** A process and all its descendants; empty when it has ended. */
function familyOf(child: ChildProcess): number[] {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return [];
  const family = new Set([pid]);
  const all = parents();
  for (const member of family) {
    for (const [descendant, parent] of all) if (parent === member) family.add(descendant);
  }
  return [...family];
}

function signalAll(children: readonly ChildProcess[], signal: NodeJS.Signals): void {
  for (const pid of children.flatMap(familyOf)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended in the meantime.
    }
  }
}

export function openProcessGroups(): Network {
  const all: ChildProcess[] = [];
  return {
    kind: 'process groups',
    host(name): Host {
      const own: ChildProcess[] = [];
      return {
        name,
        address: '127.0.0.1',
        run(command, args, env) {
          const child = spawn(command, args, {
            stdio: ['ignore', 'pipe', 'pipe'],
            ...(env === undefined ? {} : { env }),
          });
          own.push(child);
          all.push(child);
          return { process: child, output: outputOf(child) };
        },
        pids: () => own.flatMap(familyOf),
        cut: () => signalAll(own, 'SIGSTOP'),
        heal: () => signalAll(own, 'SIGCONT'),
      };
    },
    close: () => signalAll(all.splice(0), 'SIGKILL'),
  };
}

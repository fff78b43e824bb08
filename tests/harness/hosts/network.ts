/**
 * Hosts of a small network, each of which can be disconnected. With sufficient privileges, each is
 * a network namespace on a separate bridge. Otherwise it is a group of processes, which is frozen
 * instead.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';

/** A process that a test starts on a host. */
export interface HostProcess {
  readonly process: ChildProcess;
  /** Its output so far. */
  readonly output: () => string;
}

export interface Host {
  readonly name: string;
  /** The address for other hosts. */
  readonly address: string;
  /** Runs a program on the host; it ends with the network. */
  run(command: string, args: readonly string[], env: SpawnOptions['env']): HostProcess;
  /** Ids of the processes on the host. */
  pids(): readonly number[];
  /** Disconnects the host in both directions. */
  cut(): void;
  /** Reconnects the host. */
  heal(): void;
}

export interface Network {
  readonly kind: 'namespaces' | 'process groups';
  host(name: string): Host;
  /** Ends all processes and removes the network. */
  close(): void;
}

/** Stores the end of a process's output. */
export function outputOf(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: unknown) => {
    text = (text + String(chunk)).slice(-50_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

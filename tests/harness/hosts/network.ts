/**
 * Hosts of a small network, each of which can be cut off. With the rights to it, each is a network
 * namespace on a bridge of its own; elsewhere it is a group of processes, which is frozen instead.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';

/** What a test starts on a host. */
export interface HostProcess {
  readonly process: ChildProcess;
  /** What it has written so far. */
  readonly output: () => string;
}

export interface Host {
  readonly name: string;
  /** Where the other hosts reach it. */
  readonly address: string;
  /** Runs a program there; it ends with the network. */
  run(command: string, args: readonly string[], env: SpawnOptions['env']): HostProcess;
  /** Ids of the processes that run there. */
  pids(): readonly number[];
  /** From now on it reaches nobody, and nobody reaches it. */
  cut(): void;
  /** Undoes that. */
  heal(): void;
}

export interface Network {
  readonly kind: 'namespaces' | 'process groups';
  host(name: string): Host;
  /** Ends everything that runs there and removes it. */
  close(): void;
}

/** Keeps the end of what a process writes. */
export function outputOf(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: unknown) => {
    text = (text + String(chunk)).slice(-50_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

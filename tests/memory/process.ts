/** The memory of processes on this machine, as the kernel counts it. */
import { readFileSync } from 'node:fs';

/**
 * Bytes that a process holds.
 * @param kind all that is resident, or without what it shares with files and other processes
 */
function memoryOf(pid: number, kind: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}

/** A look at processes every few milliseconds. */
export class MemoryWatch {
  readonly #edge: number;
  readonly #timer: NodeJS.Timeout;
  #backend: number | null = null;
  /** Most bytes that were resident in the edge. */
  edge = 0;
  /** Most bytes that were the backend's own; what backends share says nothing of one. */
  backend = 0;

  constructor(edge: number) {
    this.#edge = edge;
    this.#timer = setInterval(() => this.look(), 20);
  }

  watchBackend(pid: number): void {
    this.#backend = pid;
    this.look();
  }

  look(): void {
    this.edge = Math.max(this.edge, memoryOf(this.#edge, 'VmRSS'));
    if (this.#backend === null) return;
    this.backend = Math.max(this.backend, memoryOf(this.#backend, 'RssAnon'));
  }

  /** After the answer the backend stays, with its connection in the pool. */
  end(): void {
    this.look();
    clearInterval(this.#timer);
  }
}

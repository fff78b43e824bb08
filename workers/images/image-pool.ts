/**
 * The processes in which a worker reads and transforms images, shared fairly among holders. A
 * holder may use all processes while no other holder is active; otherwise it may use one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { placed, type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { ImageFacts } from '#core/jobs/message/image-facts.ts';
import { answer, type ImageResult, type ImageTask, type MadeImage } from './task.ts';

const PROCESS = join(import.meta.dirname, 'image-process.ts');
/** Milliseconds after which an idle process ends. */
const IDLE_MS = 30_000;

/** Milliseconds without a request after which a holder counts as inactive. */
const ALONE_AFTER_MS = 10_000;
/** Milliseconds that a task has to finish after another holder needs its process. */
const PREEMPTION_GRACE_MS = 250;
/** Interval (ms) of the memory checks of a busy process. */
const WATCH_MS = 50;
const MIB = 1024 * 1024;

/** USER_HZ, 100 on every Linux that Node runs on. */
const TICKS = 100;

export interface ImagePoolOptions {
  /** ASSETS_TRANSFORM_MAX_CONCURRENT: maximum number of processes. */
  readonly max: number;
  /** ASSETS_TRANSFORM_TIMEOUT: milliseconds for one image. */
  readonly timeout: number;
  /** ASSETS_TRANSFORM_MEMORY: maximum bytes of one process. */
  readonly memory: number;
}

/** The holder on whose behalf an image is processed. */
export interface ImageRequester {
  readonly holder: string;
  /** Cancels the wait for a process; a running task continues. */
  readonly signal?: AbortSignal;
}

/** The limits of a process for one task. */
type Bounds = Pick<ImagePoolOptions, 'timeout' | 'memory'>;

/** Another holder needed the process of this task. */
class Preempted extends Error {}

/** Seconds of processor time that a process has used; null where the system does not report it. */
function processorTime(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return null;
  }
}

/** Resident memory of a process in bytes; null where the system does not report it. */
function residentMemory(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** One process, and its current task. */
class ImageProcess {
  readonly #child: ChildProcess;
  #settle: ((result: ImageResult | Error) => void) | null = null;
  #next = 0;
  #isEnded = false;

  constructor() {
    this.#child = fork(PROCESS, {
      // The environment contains no configuration, so an image that exploits this process finds no
      // secrets. The C library does not return memory in the arenas of several threads, so the
      // number of arenas is limited.
      env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message) => {
      const result = v.safeParse(answer, message);
      if (result.success && result.output.id === this.#next) this.#done(result.output.result);
    });
    this.#child.on('error', (error) => this.#done(error));
    this.#child.on('exit', (code, signal) => {
      // SIGKILL may come from a memory shortage. Any other end is caused by the image.
      if (signal === 'SIGKILL') this.#done(new Error('the process of an image was killed'));
      else
        this.#done({
          kind: 'refused',
          reason: reason('image_process_crashed', { signal: signal ?? String(code) }),
        });
    });
  }

  get isAlive(): boolean {
    // A killed process continues for a moment, and would fail one more image.
    return !this.#isEnded && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Runs one task; the process is unusable when this rejects.
   * @param wanted aborted when another holder needs the process
   * @throws Preempted when that has ended the task
   */
  async run(
    task: ImageTask,
    { timeout, memory }: Bounds,
    wanted: AbortSignal,
  ): Promise<ImageResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ImageResult>();
    this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
    this.#next += 1;
    const before = this.#processorTime();
    const timer = setTimeout(() => {
      const used = (this.#processorTime() - before) * 1_000;
      // The image is not at fault when it received too little processor time.
      if (used < timeout / 2) this.#done(new Error('there is no processor for images'));
      else this.#done({ kind: 'refused', reason: reason('image_takes_too_long', { timeout }) });
      this.end();
    }, timeout);
    const watch = setInterval(() => {
      if ((this.#residentMemory() ?? 0) <= memory) return;
      const most = `${Math.floor(memory / MIB)} MiB (ASSETS_TRANSFORM_MEMORY)`;
      this.#done({ kind: 'refused', reason: reason('image_too_much_memory', { most }) });
      this.end();
    }, WATCH_MS);
    let grace: NodeJS.Timeout | undefined;
    const preempt = () => {
      grace = setTimeout(() => {
        this.#done(new Preempted());
        this.end();
      }, PREEMPTION_GRACE_MS);
    };
    wanted.addEventListener('abort', preempt);
    try {
      this.#child.send({ id: this.#next, task }, (error) => {
        if (error !== null) this.#done(error);
      });
      return await promise;
    } finally {
      wanted.removeEventListener('abort', preempt);
      clearTimeout(timer);
      clearTimeout(grace);
      clearInterval(watch);
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#child.kill('SIGKILL');
  }

  /**
   * In seconds; infinite where the system does not report it, so that every slow image counts as at
   * fault.
   */
  #processorTime(): number {
    const { pid } = this.#child;
    return (pid === undefined ? null : processorTime(pid)) ?? Number.POSITIVE_INFINITY;
  }

  #residentMemory(): number | null {
    const { pid } = this.#child;
    return pid === undefined ? null : residentMemory(pid);
  }

  #done(result: ImageResult | Error): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(result);
  }
}

/** Status 422 for an image that cannot be processed. */
export function unusableImage(why: Reason): ServiceError {
  const told = placed('The image cannot be used. ', why);
  return new ServiceError('UNPROCESSABLE_ENTITY', { reason: told });
}

export class ImagePool {
  readonly #options: ImagePoolOptions;
  readonly #free: ImageProcess[] = [];
  readonly #all = new Set<ImageProcess>();
  readonly #permits: FairSemaphore;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ImagePoolOptions) {
    this.#options = options;
    // A worker runs few jobs at a time, each with few images, so the queue has no limit.
    this.#permits = new FairSemaphore({
      ...{ permits: options.max, permitsPerHolder: 1, aloneAfter: ALONE_AFTER_MS },
    });
  }

  /**
   * Size and metadata of an image.
   * @returns null for a file that is not an image
   */
  async facts(
    input: string,
    places: boolean,
    requester: ImageRequester,
  ): Promise<ImageFacts | null> {
    const result = await this.#run({ kind: 'facts', input, places }, requester);
    return result.kind === 'facts' ? result.facts : null;
  }

  /**
   * Writes a variant of an image.
   * @throws the reason of the signal when it is aborted before a process is free; ServiceError
   *   UNPROCESSABLE_ENTITY for an image that is invalid or takes too long; SERVICE_UNAVAILABLE when
   *   processes cannot be started
   */
  async transform(
    task: Omit<Extract<ImageTask, { kind: 'transform' }>, 'kind'>,
    requester: ImageRequester,
  ): Promise<MadeImage> {
    const result = await this.#run({ kind: 'transform', ...task }, requester);
    if (result.kind === 'made') return result;
    if (result.kind === 'refused') throw unusableImage(result.reason);
    throw new TypeError('an image was measured that was to be made');
  }

  /** Ends all processes. */
  close(): void {
    clearTimeout(this.#idle);
    for (const one of this.#all) one.end();
    this.#all.clear();
    this.#free.length = 0;
  }

  async #run(task: ImageTask, requester: ImageRequester): Promise<ImageResult> {
    for (;;) {
      const result = await this.#try(task, requester);
      if (result !== null) return result;
    }
  }

  /** Runs a task as soon as a process is available; null when another holder needed the process. */
  async #try(task: ImageTask, { holder, signal }: ImageRequester): Promise<ImageResult | null> {
    clearTimeout(this.#idle);
    const wanted = new AbortController();
    const release = await this.#permits.acquire(holder, signal, () => wanted.abort());
    const one = this.#take();
    try {
      return await one.run(task, this.#options, wanted.signal);
    } catch (error) {
      this.#drop(one);
      if (error instanceof Preempted) return null;
      throw unavailable('images', reason('image_process_ended'), { cause: error });
    } finally {
      if (one.isAlive && this.#all.has(one)) this.#free.push(one);
      else this.#all.delete(one);
      release();
      this.#rest();
    }
  }

  #take(): ImageProcess {
    for (let one = this.#free.pop(); one !== undefined; one = this.#free.pop()) {
      if (one.isAlive) return one;
      this.#all.delete(one);
    }
    const made = new ImageProcess();
    this.#all.add(made);
    return made;
  }

  #drop(one: ImageProcess): void {
    one.end();
    this.#all.delete(one);
  }

  /** Ends the processes after a time without tasks. */
  #rest(): void {
    if (this.#permits.running > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
    this.#idle.unref();
  }
}

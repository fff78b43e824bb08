/**
 * The processes in which a worker reads and transforms images, fairly to those for whom it does. A
 * holder has one process as long as others may come, and all of them while it is alone.
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
/** Milliseconds after which a process without work ends. */
const IDLE_MS = 30_000;

/** Milliseconds after which a holder that has asked for nothing counts as gone. */
const ALONE_AFTER_MS = 10_000;
/** Milliseconds that a work has to end by itself when its process is wanted for another holder. */
const PREEMPTION_GRACE_MS = 250;
/** Milliseconds between two looks at the memory of a process that works. */
const WATCH_MS = 50;
const MIB = 1024 * 1024;

/** USER_HZ, 100 on every Linux that Node runs on. */
const TICKS = 100;

export interface ImagePoolOptions {
  /** ASSETS_TRANSFORM_MAX_CONCURRENT: processes. */
  readonly max: number;
  /** ASSETS_TRANSFORM_TIMEOUT: milliseconds for one image. */
  readonly timeout: number;
  /** ASSETS_TRANSFORM_MEMORY: bytes that one process may have. */
  readonly memory: number;
}

/** For whom an image is worked on. */
export interface ImageRequester {
  readonly holder: string;
  /** Ends the wait for a process; what has begun goes on. */
  readonly signal?: AbortSignal;
}

/** What a process may take for one task. */
type Bounds = Pick<ImagePoolOptions, 'timeout' | 'memory'>;

/** Its process was wanted for another holder. */
class Preempted extends Error {}

/** Seconds of processor time that a process has used; null where the system does not tell. */
function processorTime(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return null;
  }
}

/** Bytes of memory that a process has; null where the system does not tell. */
function residentMemory(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** One process, and the task that it has. */
class ImageProcess {
  readonly #child: ChildProcess;
  #settle: ((result: ImageResult | Error) => void) | null = null;
  #next = 0;
  #isEnded = false;

  constructor() {
    this.#child = fork(PROCESS, {
      // Nothing of the configuration: an image that takes over this process finds no secrets. The
      // library's memory for several threads is not given back; one thread needs one arena.
      env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message) => {
      const result = v.safeParse(answer, message);
      if (result.success && result.output.id === this.#next) this.#done(result.output.result);
    });
    this.#child.on('error', (error) => this.#done(error));
    this.#child.on('exit', (code, signal) => {
      // Whoever kills it may be short of memory; it ends by itself only because of what it reads.
      if (signal === 'SIGKILL') this.#done(new Error('the process of an image was killed'));
      else
        this.#done({
          kind: 'refused',
          reason: reason('image_process_crashed', { signal: signal ?? String(code) }),
        });
    });
  }

  get isAlive(): boolean {
    // A process that is killed goes on for a moment, and would take one more image with it.
    return !this.#isEnded && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Does one task; the process is of no more use when this rejects.
   * @param wanted the process is wanted for another holder
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
      // Not the fault of the image when there was no processor for it.
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

  /** Seconds; endless where the system does not tell, so that every image counts as a slow one. */
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

/** 422 for an image of which nothing can be made. */
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
    // A worker has few jobs at a time, and each of them few images, so any number may wait.
    this.#permits = new FairSemaphore({
      ...{ permits: options.max, permitsPerHolder: 1, aloneAfter: ALONE_AFTER_MS },
    });
  }

  /**
   * Size and metadata of an image.
   * @returns null for a file that is no image
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
   * Writes another form of an image.
   * @throws the reason of the signal when that comes before a process is free; ServiceError UNPROCESSABLE_ENTITY for an image that cannot be used or takes too long;
   *   SERVICE_UNAVAILABLE when processes cannot be started
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

  /** Does a task as soon as it may have a process; null when its process was wanted for another holder meanwhile. */
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

  /** Ends the processes when there has been no work for a while. */
  #rest(): void {
    if (this.#permits.running > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
    this.#idle.unref();
  }
}

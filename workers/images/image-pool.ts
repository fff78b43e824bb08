/** The processes in which a worker reads and transforms images. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ServiceError, unavailable } from '#core/errors/service-error.ts';
import type { ImageFacts } from '#core/jobs/message/image-facts.ts';
import { answer, type ImageResult, type ImageTask, type MadeImage } from './task.ts';

const PROCESS = join(import.meta.dirname, 'image-process.ts');
/** Milliseconds after which a process without work ends. */
const IDLE_MS = 30_000;

/** USER_HZ, 100 on every Linux that Node runs on. */
const TICKS = 100;

export interface ImagePoolOptions {
  /** ASSETS_TRANSFORM_MAX_CONCURRENT: processes. */
  readonly max: number;
  /** ASSETS_TRANSFORM_TIMEOUT: milliseconds for one image. */
  readonly timeout: number;
}

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

/** One process, and the task that it has. */
class ImageProcess {
  readonly #child: ChildProcess;
  #settle: ((result: ImageResult | Error) => void) | null = null;
  #next = 0;

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
      else this.#done({ kind: 'refused', reason: `It ended its process (${signal ?? code}).` });
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Does one task; the process is of no more use when this rejects. */
  async run(task: ImageTask, timeout: number): Promise<ImageResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ImageResult>();
    this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
    this.#next += 1;
    const before = this.#processorTime();
    const timer = setTimeout(() => {
      const used = (this.#processorTime() - before) * 1_000;
      const reason = `It takes longer than ${timeout} ms.`;
      // Not the fault of the image when there was no processor for it.
      if (used < timeout / 2) this.#done(new Error('there is no processor for images'));
      else this.#done({ kind: 'refused', reason });
      this.end();
    }, timeout);
    try {
      this.#child.send({ id: this.#next, task }, (error) => {
        if (error !== null) this.#done(error);
      });
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Seconds; endless where the system does not tell, so that every image counts as a slow one. */
  #processorTime(): number {
    const { pid } = this.#child;
    return (pid === undefined ? null : processorTime(pid)) ?? Number.POSITIVE_INFINITY;
  }

  #done(result: ImageResult | Error): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(result);
  }
}

/** 422 for an image of which nothing can be made. */
export function unusableImage(reason: string): ServiceError {
  return new ServiceError('UNPROCESSABLE_ENTITY', {
    reason: `The image cannot be used. ${reason}`,
  });
}

export class ImagePool {
  readonly #options: ImagePoolOptions;
  readonly #free: ImageProcess[] = [];
  readonly #all = new Set<ImageProcess>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ImagePoolOptions) {
    this.#options = options;
  }

  /**
   * Size and metadata of an image.
   * @returns null for a file that is no image
   */
  async facts(input: string, places: boolean): Promise<ImageFacts | null> {
    const result = await this.#run({ kind: 'facts', input, places });
    return result.kind === 'facts' ? result.facts : null;
  }

  /**
   * Writes another form of an image.
   * @throws the reason of the signal when that comes before its turn; ServiceError UNPROCESSABLE_ENTITY for an image that cannot be used or takes too long;
   *   SERVICE_UNAVAILABLE when processes cannot be started
   */
  async transform(
    task: Omit<Extract<ImageTask, { kind: 'transform' }>, 'kind'>,
    signal: AbortSignal,
  ): Promise<MadeImage> {
    const result = await this.#run({ kind: 'transform', ...task }, signal);
    if (result.kind === 'made') return result;
    throw unusableImage(result.kind === 'refused' ? result.reason : '');
  }

  /** Ends all processes. */
  close(): void {
    clearTimeout(this.#idle);
    for (const one of this.#all) one.end();
    this.#all.clear();
    this.#free.length = 0;
  }

  async #run(task: ImageTask, signal?: AbortSignal): Promise<ImageResult> {
    await this.#turn();
    if (signal?.aborted) {
      this.#next();
      throw signal.reason;
    }
    const one = this.#take();
    try {
      return await one.run(task, this.#options.timeout);
    } catch (error) {
      this.#drop(one);
      throw unavailable('images', 'The process of the image ended.', { cause: error });
    } finally {
      this.#release(one);
    }
  }

  /** Waits until fewer than the most are busy, in the order of the calls. */
  async #turn(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#busy < this.#options.max) this.#busy += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
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

  #release(one: ImageProcess): void {
    if (one.isAlive && this.#all.has(one)) this.#free.push(one);
    else this.#all.delete(one);
    this.#next();
  }

  /** Gives the turn to whoever waits. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#busy -= 1;
    if (this.#busy === 0) {
      this.#idle = setTimeout(() => this.close(), IDLE_MS);
      this.#idle.unref();
    }
  }
}

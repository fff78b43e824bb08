/** Sends requests as fast as they are answered, over a fixed number of connections. */
import { spawnSync } from 'node:child_process';
import { runAutocannon } from './autocannon.ts';
import { runWrk } from './wrk.ts';

/** The requests. */
export interface Target {
  /** Without a slash at its end. */
  readonly url: string;
  /** Requested one after another, again and again. */
  readonly paths: readonly string[];
  /** Null: anonymous. */
  readonly token: string | null;
  /** GET by default. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  /** The JSON body. */
  readonly body?: string | undefined;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Successful requests per second; any other answer is an error. */
export type Load = (target: Target, options: LoadOptions) => Promise<number>;

export type GeneratorName = 'wrk' | 'autocannon';

const GENERATORS: Readonly<Record<GeneratorName, Load>> = {
  wrk: runWrk,
  autocannon: runAutocannon,
};

/**
 * The requested load generator, else wrk when it is installed, because it uses less processor time.
 */
export function chooseGenerator(requested: GeneratorName | undefined): GeneratorName {
  return requested ?? (spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon');
}

export function loadOf(name: GeneratorName): Load {
  return GENERATORS[name];
}

/** Sends requests as fast as they are answered, over a fixed number of connections. */
import { spawnSync } from 'node:child_process';
import { runAutocannon } from './autocannon.ts';
import { runWrk } from './wrk.ts';

/** What is sent where. */
export interface Target {
  /** Without a slash at its end. */
  readonly url: string;
  /** Requested one after another, over and over. */
  readonly paths: readonly string[];
  /** Null: asked by the public. */
  readonly token: string | null;
  /** GET where it is not given. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  /** The JSON that is sent. */
  readonly body?: string | undefined;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Requests a second that were answered with success; any other answer is an error. */
export type Load = (target: Target, options: LoadOptions) => Promise<number>;

export type GeneratorName = 'wrk' | 'autocannon';

const GENERATORS: Readonly<Record<GeneratorName, Load>> = {
  wrk: runWrk,
  autocannon: runAutocannon,
};

/** The generator asked for, else wrk where it is installed: it takes less of the processors. */
export function chooseGenerator(asked: GeneratorName | undefined): GeneratorName {
  return asked ?? (spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon');
}

export function loadOf(name: GeneratorName): Load {
  return GENERATORS[name];
}

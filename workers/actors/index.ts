/** Every actor of this release. */
import type { Actor } from '#workers/runtime/actor.ts';

export const actors: readonly Actor[] = [];

/** Every actor of this release. */
import type { Actor } from '#workers/runtime/actor.ts';
import { importActor } from './import.ts';
import { mailActor } from './mail.ts';
import { tidyActor } from './tidy.ts';

export const actors: readonly Actor[] = [importActor, mailActor, tidyActor];

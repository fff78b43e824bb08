/** All actors of this release. */
import type { Actor } from '#workers/runtime/actor.ts';
import { cacheClearActor } from './cache-clear.ts';
import { changeJobsActor } from './change-jobs.ts';
import { exportActor } from './export.ts';
import { imageFactsActor } from './image-facts.ts';
import { imageVariantActor } from './image-variant.ts';
import { importActor } from './import.ts';
import { indexActor } from './index-build.ts';
import { mailActor } from './mail.ts';
import { schemaActor } from './schema.ts';
import { tidyActor } from './tidy.ts';
import { tidyFilesActor } from './tidy-files.ts';
import { undoImportActor } from './undo-import.ts';

export const actors: readonly Actor[] = [
  cacheClearActor,
  changeJobsActor,
  exportActor,
  imageFactsActor,
  imageVariantActor,
  importActor,
  indexActor,
  mailActor,
  schemaActor,
  tidyActor,
  tidyFilesActor,
  undoImportActor,
];

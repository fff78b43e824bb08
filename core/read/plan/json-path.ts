/** Paths into documents, as lists of steps. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { requireShortName } from '#core/query/parse/list.ts';

/** Names separated by dots, and element numbers in brackets; names are not empty. */
const PATH = /^(?:[^.[\]\0]+|\[\d+\])(?:\[\d+\])*(?:\.[^.[\]\0]+(?:\[\d+\])*)*$/;

/** JSONPath symbols without an equivalent in such paths: all members, and the document itself. */
const FOREIGN: ReadonlySet<string> = new Set(['*', '$']);

/**
 * `path.to[0].x` as the steps that `#>` takes.
 * @param place where the path was written, for errors
 * @throws ServiceError INVALID_QUERY for an invalid path, or one that is too deep
 */
export function jsonPathSteps(path: string, place: string, maxDepth: number): string[] {
  requireShortName(path, place);
  const steps = path
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\./, '')
    .split('.');
  if (!PATH.test(path) || steps.some((step) => FOREIGN.has(step))) {
    throw invalidQuery(reason('document_path_invalid', { place, path }));
  }
  if (steps.length > maxDepth) {
    throw invalidQuery(reason('document_path_too_deep', { place, maxDepth }));
  }
  return steps;
}

/** Places inside documents: the steps of a path. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { requireShortName } from '#core/query/parse/list.ts';

/** Names with dots between them, and numbers of elements in brackets; no name is empty. */
const PATH = /^(?:[^.[\]\0]+|\[\d+\])(?:\[\d+\])*(?:\.[^.[\]\0]+(?:\[\d+\])*)*$/;

/** Signs of JSONPath for what such paths cannot say: all members, and the document itself. */
const FOREIGN: ReadonlySet<string> = new Set(['*', '$']);

/**
 * `path.to[0].x` as the steps that `#>` takes.
 * @param place where the path was written, for errors
 * @throws ServiceError INVALID_QUERY for what is no path, or one that is too deep
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

/** Places inside documents: the steps of a path. */
import { invalidQuery } from '#core/errors/service-error.ts';
import { requireShort } from '../parse/list.ts';

/**
 * `path.to[0].x` as the steps that `#>` takes.
 * @param place where the path was written, for errors
 * @throws ServiceError INVALID_QUERY for what is no path, or one that is too deep
 */
export function stepsOf(path: string, place: string, maxDepth: number): string[] {
  requireShort(path, place);
  const steps = path
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\.(?=\d)/, '')
    .split('.');
  if (steps.some((step) => step === '' || step.includes('\0'))) {
    throw invalidQuery(`"${place}": "${path}" is no path into a document.`);
  }
  if (steps.length > maxDepth) {
    throw invalidQuery(`"${place}" goes deeper than ${maxDepth} steps (MAX_JSON_QUERY_DEPTH).`);
  }
  return steps;
}

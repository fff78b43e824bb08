/** All validation of staged rows before the merge. */

import type { Staged } from '../copy/staging-table.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { findSurplusSecrets } from './hash-staged.ts';
import { findRestrictedLinks } from './restricted-links.ts';
import { validateStaged } from './validate-staged.ts';

/**
 * The faults of staged rows, up to the limit: links to items that the sender may not use, forbidden
 * fields and items, failed validations, and secrets beyond the limit.
 */
export async function validateRows(
  run: ImportRun,
  staged: Staged,
  limit: number,
): Promise<RowFault[]> {
  const judged = await validateStaged(run, staged, limit);
  // The merge finds missing items if there are no other faults.
  const every = judged.length > 0;
  const restricted = await findRestrictedLinks(run, staged, { limit, every });
  // A row that refers to an unreadable item is rejected for that alone, without further faults.
  const told = new Set(restricted.map(({ row }) => row));
  const others = judged.filter(({ row }) => !told.has(row));
  const surplus = await findSurplusSecrets(run, staged, limit);
  return [...restricted, ...others, ...surplus].slice(0, limit);
}

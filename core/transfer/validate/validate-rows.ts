/** All that is judged of staged rows before they are merged. */

import type { Staged } from '../copy/staging-table.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { findSurplusSecrets } from './hash-staged.ts';
import { findRestrictedLinks } from './restricted-links.ts';
import { validateStaged } from './validate-staged.ts';

/**
 * The faults of staged rows, up to the limit: items that the sender may not refer to,
 * what he may not write, what validations refuse, and secrets beyond those that are hashed.
 */
export async function validateRows(
  run: ImportRun,
  staged: Staged,
  limit: number,
): Promise<RowFault[]> {
  const judged = await validateStaged(run, staged, limit);
  // The merge finds missing items where there is nothing else to tell.
  const every = judged.length > 0;
  const restricted = await findRestrictedLinks(run, staged, { limit, every });
  // A row that refers to what its sender may not read is refused for that, and nothing more is told.
  const told = new Set(restricted.map(({ row }) => row));
  const others = judged.filter(({ row }) => !told.has(row));
  const surplus = await findSurplusSecrets(run, staged, limit);
  return [...restricted, ...others, ...surplus].slice(0, limit);
}

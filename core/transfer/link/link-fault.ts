/** The faults of rows whose references find no item, or several. */

import { reason } from '#core/base/errors/reason.ts';
import type { ServiceError } from '#core/base/errors/service-error.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import type { Reference } from '../target/reference.ts';
import { faultOfError } from './item-writes.ts';

/** The place and the value of a reference in the file. */
interface Sought {
  readonly row: number;
  readonly value: string;
}

/** The fault of a value that does not find exactly one item. */
export function notFound(
  { field, by }: Reference,
  { row, value }: Sought,
  items: number,
): RowFault {
  const name = JSON.stringify(by.name);
  const why =
    items === 0
      ? reason('no_item_with_this_value', { by: name })
      : reason('several_items_with_this_value', { by: name });
  // The reader has sent the value, and learns nothing else about items.
  const told = { code: 'INVALID_FOREIGN_KEY', reason: why, details: { by: by.name } } as const;
  return { row, field, value: displayValue(value), ...told };
}

/** The fault of a value for which no item could be created. */
export function notCreated(
  { field }: Reference,
  { row, value }: Sought,
  error: ServiceError,
): RowFault {
  return { ...faultOfError(row, error), field, value: displayValue(value) };
}

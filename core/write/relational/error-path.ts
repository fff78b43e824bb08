/**
 * Adds the payload path of a rejected item to its error, and removes field names that the caller
 * may not see.
 */
import { failureView } from '#core/access/error-visibility.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { type Item, ownMember } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import type { PayloadPath } from './plan.ts';

/** The error with the place of its item in the payload; in a list also with its index. */
export function errorAtPath(error: ServiceError, place: PayloadPath): ServiceError {
  const [index] = place;
  const listed = typeof index === 'number' ? { index } : {};
  const [top, ...below] = place.slice(typeof index === 'number' ? 1 : 0);
  const { field, path, ...rest } = error.details;
  if (top === undefined) {
    return new ServiceError(
      error.code,
      { ...error.details, ...listed },
      { cause: error, headers: error.headers },
    );
  }
  const inner = [
    ...(typeof field === 'string' ? [field] : []),
    ...(Array.isArray(path) ? path : []),
  ];
  return new ServiceError(
    error.code,
    { ...rest, ...listed, field: top, path: [...below, ...inner] },
    { cause: error, headers: error.headers },
  );
}

/** Removes the name of a field that the caller neither sent nor may read from the error. */
function discreet(write: WriteContext, sent: Item, error: ServiceError): ServiceError {
  const { field } = error.details;
  if (typeof field !== 'string' || ownMember(sent, field) !== undefined) return error;
  if (isReadable(write, field)) return error;
  const { type } = error.details;
  return new ServiceError(
    error.code,
    { field: null, path: [], ...(type === undefined ? {} : { type }) },
    { cause: error },
  );
}

function isReadable({ collection, target }: WriteContext, name: string): boolean {
  const { table } = collection;
  const column = columnOf(collection, name);
  if (table === null || column === null) return target.rights.admin;
  const seen = failureView(target, true).tableOf(table.schema, table.name);
  return seen?.fieldOf(column) != null;
}

function columnOf({ fields }: Collection, name: string): string | null {
  return fields.get(name)?.column?.name ?? null;
}

/** Runs work on one item; errors name the item's place in the payload. */
export async function withPath<T>(
  write: WriteContext,
  { place, sent }: { readonly place: PayloadPath; readonly sent: Item },
  work: () => T | Promise<T>,
): Promise<T> {
  const told = (error: ServiceError) => errorAtPath(discreet(write, sent, error), place);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceErrors) {
      const [first, ...rest] = error.errors;
      throw new ServiceErrors([told(first), ...rest.map(told)]);
    }
    if (error instanceof ServiceError && error.details.field !== undefined) throw told(error);
    throw error;
  }
}

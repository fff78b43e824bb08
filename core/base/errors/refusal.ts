/**
 * The refusal of what a caller may not know. Every door makes it here, so that what is hidden and what
 * does not exist are refused in the same words, and nothing is said that the caller did not name.
 */
import { type Reason, reason } from './reason.ts';
import { forbidden, type ServiceError } from './service-error.ts';

/** What a caller named: a collection, or something of it. */
export interface Named {
  readonly collection: string;
  readonly field?: string;
  readonly fields?: readonly string[];
  /** The field whose relation is meant. */
  readonly relation?: string;
}

export interface RefusalOptions {
  /** What the caller wanted to do, such as `create items in`; `access` by default. */
  readonly to?: string;
  /** The part of a query that names it. */
  readonly place?: string;
}

function refusedAccess(named: Named, to: string, where: string): Reason {
  const { collection, field, fields, relation } = named;
  const common = { to, collection, where };
  if (field !== undefined) return reason('no_permission_for_field', { ...common, field });
  if (relation !== undefined) {
    return reason('no_permission_for_relation', { ...common, field: relation });
  }
  if (fields === undefined) return reason('no_permission_for_collection', common);
  const listed = fields.map((name) => `"${name}"`).join(', ');
  return reason('no_permission_for_fields', { ...common, fields: listed });
}

/** 403 for something that the caller may not know, or that does not exist. */
export function refusal(named: Named, { to = 'access', place }: RefusalOptions = {}): ServiceError {
  const where = place === undefined ? '' : ` (queried in ${place})`;
  return forbidden(refusedAccess(named, to, where));
}

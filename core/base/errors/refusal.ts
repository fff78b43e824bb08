/**
 * The error for objects that are hidden from a caller. All APIs create it here, so that hidden and
 * missing objects have the same error, which names only objects that the caller named.
 */
import { type Reason, reason } from './reason.ts';
import { forbidden, type ServiceError } from './service-error.ts';

/** The objects that a caller named: a collection, or a part of it. */
export interface Named {
  readonly collection: string;
  readonly field?: string;
  readonly fields?: readonly string[];
  /** The field of the named relation. */
  readonly relation?: string;
}

export interface RefusalOptions {
  /** The attempted action, such as `create items in`; `access` by default. */
  readonly to?: string;
  /** The parameter of the query, such as `filter`, that names the refused field. */
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

/** 403 for an object that is hidden from the caller, or does not exist. */
export function refusal(named: Named, { to = 'access', place }: RefusalOptions = {}): ServiceError {
  const where = place === undefined ? '' : ` (queried in ${place})`;
  return forbidden(refusedAccess(named, to, where));
}

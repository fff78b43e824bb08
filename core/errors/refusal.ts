/**
 * The refusal of what a caller may not know. Every door makes it here, so that what is hidden and what
 * does not exist are refused in the same words, and nothing is said that the caller did not name.
 */
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

function described({ collection, field, fields, relation }: Named): string {
  const owner = `collection "${collection}"`;
  if (field !== undefined) return `field "${field}" in ${owner}`;
  if (relation !== undefined) return `the relation of field "${relation}" in ${owner}`;
  if (fields === undefined) return owner;
  return `the fields ${fields.map((name) => `"${name}"`).join(', ')} in ${owner}`;
}

/** 403 for something that the caller may not know, or that does not exist. */
export function refusal(named: Named, { to = 'access', place }: RefusalOptions = {}): ServiceError {
  const ending = named.fields === undefined ? 'it does not exist' : 'they do not exist';
  const where = place === undefined ? '' : ` (queried in ${place})`;
  return forbidden(`You have no permission to ${to} ${described(named)} or ${ending}${where}.`);
}

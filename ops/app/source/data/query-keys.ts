/** How keys of queries begin that several features know. */

/** The first part of the key of every query about the schema; invalidate it after a change. */
export const SCHEMA = 'schema';
/** The first part of the key of every query about the caller; invalidate it after signing in. */
export const CALLER = 'caller';

/** Value schemas that several routes share in their responses. */
import * as v from 'valibot';

/** A time in UTC, such as `2024-05-01T12:00:00.000Z`. */
export const timestampSchema = v.pipe(v.string(), v.isoTimestamp());
export const uuidSchema = v.pipe(v.string(), v.uuid());
export const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0));
/** An object whose members vary. */
export const anyObjectSchema = v.record(v.string(), v.unknown());

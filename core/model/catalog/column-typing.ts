/** The type of a field by its column and its flags, and how the column stores it. */

import { type ColumnCodec, columnCodec } from './column-codec.ts';
import type { ColumnDescriptor } from './descriptor.ts';
import { type FieldType, flaggedType, ownType } from './field-type.ts';

/** The type of a field, and how its column stores values. */
export interface ColumnTyping {
  readonly type: FieldType;
  /** Null: as the column's own type. */
  readonly codec: ColumnCodec | null;
}

/**
 * The field type of a column: by its flags, otherwise by its PostgreSQL type. A flag for a type
 * that the column cannot store is ignored.
 * @param system the schema of the system tables
 */
export function columnTyping(
  column: ColumnDescriptor,
  special: readonly string[],
  system = 'public',
): ColumnTyping {
  const own = ownType(column);
  for (const flag of special) {
    const type = flaggedType(flag);
    if (type === undefined) continue;
    const codec = columnCodec(column, type, own, system);
    if (codec !== undefined) return { type, codec };
  }
  return { type: own, codec: null };
}

export function fieldType(column: ColumnDescriptor, special: readonly string[]): FieldType {
  return columnTyping(column, special).type;
}

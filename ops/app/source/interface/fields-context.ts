/** Where fields stand, and how interfaces of relations show the fields of a related item. */
import { type ComponentType, createContext } from 'react';
import type { Fault } from '../data/faults.ts';
import type { Field, Item } from '../data/schema-types.ts';

export interface FieldsProps {
  readonly collection: string;
  readonly fields: readonly Field[];
  /** As it is stored; for a new one, what it begins with. */
  readonly item: Item;
  readonly changes: Item;
  readonly onChange: (field: string, value: unknown) => void;
  /** Null for an item that does not exist yet. */
  readonly itemKey: string | null;
  readonly action: 'create' | 'update';
  readonly faults: readonly Fault[];
  /** Fields that are not shown, because their place says what they are. */
  readonly omit?: ReadonlySet<string>;
  readonly readOnly?: boolean;
}

export const FieldsContext = createContext<ComponentType<FieldsProps> | null>(null);

/** Whether the fields stand in a drawer, which has no room for tables. */
export const DrawerContext = createContext(false);

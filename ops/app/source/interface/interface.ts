/** What an interface is: the control for one field of a form. */
import type { ComponentType } from 'react';
import type { Fault } from '../data/faults.ts';
import type { RelationKind } from '../data/relation-of.ts';
import type { Field } from '../data/schema-types.ts';

export interface InterfaceProps {
  readonly field: Field;
  /** The name of the field in the language of the App. */
  readonly label: string;
  readonly value: unknown;
  /** Takes a new value; `undefined` takes a change back. */
  readonly onChange: (value: unknown) => void;
  readonly readOnly: boolean;
  readonly required: boolean;
  /** What is wrong with the value, in words; null when nothing is. */
  readonly error: string | null;
  /** What is wrong below the field, in nested items, with paths from the field on. */
  readonly faults?: readonly Fault[];
  /** The key of the item that has the field; null for one that does not exist yet. */
  readonly itemKey?: string | null;
  /** What the field leads to; null for a plain value. */
  readonly relation?: RelationKind | null;
}

export type Interface = ComponentType<InterfaceProps>;

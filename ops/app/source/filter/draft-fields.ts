/** Fields that are not there yet, but that a rule can be about already. */
import { createContext } from 'react';
import type { Field } from '../data/schema-types.ts';

export const DraftFieldsContext = createContext<readonly Field[]>([]);

/** The icons of the sections that the caller is offered, by their addresses, for links from one section to another. */
import { createContext } from 'react';
import type { IconName } from '../theme/icon-paths.ts';

export const OfferedSectionsContext = createContext<ReadonlyMap<string, IconName>>(new Map());

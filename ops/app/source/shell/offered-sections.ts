/** The addresses of the sections that the caller is offered, for links from one section to another. */
import { createContext } from 'react';

export const OfferedSectionsContext = createContext<ReadonlySet<string>>(new Set());

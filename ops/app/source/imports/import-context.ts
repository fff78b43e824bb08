/** The import that is being prepared: it stays while one looks at its dry run and comes back. */
import { createContext } from 'react';
import type { OpenedFile } from './beginning.ts';
import type { Plan } from './plan.ts';

export interface PreparedImport {
  readonly opened: OpenedFile;
  readonly plan: Plan;
}

export interface PreparedImportState {
  readonly prepared: PreparedImport | null;
  readonly prepare: (prepared: PreparedImport | null) => void;
}

export const ImportContext = createContext<PreparedImportState>({
  prepared: null,
  prepare: () => undefined,
});

/** What the view of each kind of panel gets. */
import type { ReactNode } from 'react';
import type { Table } from './csv.ts';
import type { PageState } from './page-state.ts';
import type { PanelOptions } from './panel-options.ts';
import type { PanelContext } from './use-panel.ts';

export interface KindProps {
  /** Null for one of its own. */
  readonly title: string | null;
  readonly options: PanelOptions;
  readonly context: PanelContext;
  readonly page: PageState;
  readonly height: number;
  /** The buttons of the panel, which get what it shows; null while that is not known. */
  readonly menuOf: (title: string, table: Table | null) => ReactNode;
}

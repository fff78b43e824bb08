/** The panels of a dashboard in their places; while they are arranged each has handles. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { visuallyHidden } from '@mui/utils';
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { COLUMNS, inOrder, movePanel } from './layout.ts';
import type { PageState } from './page-state.ts';
import type { Panel } from './panel-options.ts';
import { PanelView, type PanelViewProps } from './panel-view.tsx';
import { PlaceHandle } from './place-handle.tsx';

const ROW = 64;
const GAP = 16;
/** Padding of a panel, and its head. */
const AROUND = 2 * 16 + 42;

/** What is left of the height of a panel for what it shows. */
export function innerHeight(rows: number): number {
  return Math.max(rows * ROW + (rows - 1) * GAP - AROUND, 48);
}

export interface PanelGridProps {
  readonly panels: readonly Panel[];
  readonly page: PageState;
  readonly menuOf: (panel: Panel, ...shown: Parameters<PanelViewProps['menuOf']>) => ReactNode;
  /** Gets the panels in their new places; null while they are not arranged. */
  readonly onArrange: ((panels: readonly Panel[]) => void) | null;
}

export function PanelGrid({ panels, page, menuOf, onArrange }: PanelGridProps) {
  const translate = useTranslate();
  const help = useId();
  const grid = useRef<HTMLDivElement>(null);
  const begun = useRef(panels);
  const [moved, setMoved] = useState<string | null>(null);
  const ids = panels.map(({ id }) => id).join(' ');
  // Those that move keep their place in the document, and with it the focus.
  const isArranged = onArrange !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is that of when one began to arrange
  const order = useMemo(() => inOrder(panels).map(({ id }) => id), [ids, isArranged]);
  const byId = new Map(panels.map((panel) => [panel.id, panel]));
  const cell = () => {
    const width = grid.current?.getBoundingClientRect().width ?? 0;
    return { width: (width + GAP) / COLUMNS, height: ROW + GAP };
  };
  const begin = () => {
    begun.current = panels;
  };
  const change = (id: string, by: (panel: Panel) => Partial<Panel>) => {
    const panel = begun.current.find((known) => known.id === id);
    if (panel === undefined) return;
    onArrange?.(movePanel(begun.current, id, by(panel)));
    setMoved(id);
  };
  const handles = (panel: Panel, title: string) => {
    const common = { describedBy: help, cell, onBegin: begin };
    return (
      <>
        <PlaceHandle
          {...common}
          icon="open_with"
          label={translate('insights.movePanel', { title })}
          onMove={(columns, rows) =>
            change(panel.id, (from) => ({
              position_x: from.position_x + columns,
              position_y: from.position_y + rows,
            }))
          }
        />
        <PlaceHandle
          {...common}
          icon="open_in_full"
          label={translate('insights.resizePanel', { title })}
          onMove={(columns, rows) =>
            change(panel.id, (from) => ({
              width: from.width + columns,
              height: from.height + rows,
            }))
          }
        />
      </>
    );
  };
  const told = moved === null ? undefined : byId.get(moved);
  return (
    <>
      {isArranged && (
        <Typography id={help} variant="body2" color="textSecondary">
          {translate('insights.arrangeHelp')}
        </Typography>
      )}
      <div aria-live="polite" style={visuallyHidden}>
        {isArranged && told !== undefined && translate('insights.placed', { ...placeOf(told) })}
      </div>
      <Box
        ref={grid}
        sx={{
          display: 'grid',
          gap: `${GAP}px`,
          gridTemplateColumns: {
            xs: 'minmax(0, 1fr)',
            md: `repeat(${COLUMNS}, minmax(0, 1fr))`,
          },
          gridAutoRows: { md: `${ROW}px` },
        }}
      >
        {order.flatMap((id) => {
          const panel = byId.get(id);
          if (panel === undefined) return [];
          const { position_x: x, position_y: y, width, height } = panel;
          return (
            <Paper
              key={id}
              variant="outlined"
              sx={{
                ...{ p: 2, minWidth: 0, overflow: 'hidden' },
                gridColumn: { md: `${x} / span ${width}` },
                gridRow: { md: `${y} / span ${height}` },
                ...(isArranged && { borderStyle: 'dashed', borderColor: 'primary.main' }),
              }}
            >
              <PanelView
                panel={panel}
                page={page}
                height={innerHeight(height)}
                menuOf={(title, table) =>
                  isArranged ? handles(panel, title) : menuOf(panel, title, table)
                }
              />
            </Paper>
          );
        })}
      </Box>
    </>
  );
}

function placeOf({ position_x: column, position_y: row, width, height }: Panel) {
  return { column, row, width, height };
}

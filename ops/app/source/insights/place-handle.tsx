/** Moves or resizes a panel: dragged by a pointer, or by the arrow keys, a cell at a time. */
import IconButton from '@mui/material/IconButton';
import { useTheme } from '@mui/material/styles';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';

export interface PlaceHandleProps {
  readonly icon: IconName;
  readonly label: string;
  readonly describedBy: string;
  /** The size of a cell of the grid, in pixels. */
  readonly cell: () => { readonly width: number; readonly height: number };
  /** What begins to be moved. */
  readonly onBegin: () => void;
  /** How many columns and rows it has been moved since then. */
  readonly onMove: (columns: number, rows: number) => void;
}

const ARROWS: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function PlaceHandle(props: PlaceHandleProps) {
  const { icon, label, describedBy, cell, onBegin, onMove } = props;
  const isMirrored = useTheme().direction === 'rtl';
  const begun = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const towardsEnd = (columns: number) => (isMirrored ? -columns : columns);
  const press = (event: KeyboardEvent) => {
    const step = ARROWS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onBegin();
    onMove(towardsEnd(step[0]), step[1]);
  };
  const grasp = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, y: event.clientY };
    onBegin();
  };
  const drag = ({ clientX, clientY }: PointerEvent) => {
    const from = begun.current;
    if (from === null) return;
    const { width, height } = cell();
    const columns = Math.round((clientX - from.x) / width);
    onMove(towardsEnd(columns), Math.round((clientY - from.y) / height));
  };
  const drop = () => {
    begun.current = null;
  };
  return (
    <IconButton
      size="small"
      aria-label={label}
      aria-describedby={describedBy}
      onKeyDown={press}
      onPointerDown={grasp}
      onPointerMove={drag}
      onPointerUp={drop}
      onPointerCancel={drop}
      sx={{ touchAction: 'none', cursor: 'grab' }}
    >
      <Icon name={icon} fontSize="small" />
    </IconButton>
  );
}

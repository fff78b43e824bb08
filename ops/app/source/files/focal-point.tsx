/**
 * The picture of a file with the point that stays in it when it is cut: set by a click, or moved by
 * the arrow keys. The point is kept in pixels of the whole picture.
 */
import Box from '@mui/material/Box';
import type { KeyboardEvent, MouseEvent } from 'react';
import { usePicture } from '../display/use-picture.ts';
import { useTranslate } from '../translation/use-translate.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface FocalPointProps {
  readonly source: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Null: the middle. */
  readonly point: Point | null;
  readonly readOnly: boolean;
  readonly onChange: (point: Point) => void;
}

/** Pixels: the most that a picture takes. */
const HEIGHT = 320;
const WIDTH = 800;

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function FocalPoint(props: FocalPointProps) {
  const { source, name, width, height, point, readOnly, onChange } = props;
  const translate = useTranslate();
  const { x, y } = point ?? { x: Math.round(width / 2), y: Math.round(height / 2) };
  const within = (value: number, end: number) => Math.max(0, Math.min(end, Math.round(value)));
  const move = (left: number, top: number) =>
    onChange({ x: within(left, width), y: within(top, height) });
  const click = ({ currentTarget, clientX, clientY }: MouseEvent<HTMLElement>) => {
    const box = currentTarget.getBoundingClientRect();
    move(((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height);
  };
  const key = (event: KeyboardEvent) => {
    const step = MOVES[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const by = Math.max(1, Math.round((event.shiftKey ? 0.1 : 0.02) * width));
    move(x + step[0] * by, y + step[1] * by);
  };
  const { attempt, onError } = usePicture(source);
  // Its room is there before it is.
  const shown = Math.min(width, (HEIGHT * width) / height, WIDTH);
  const picture = (
    <Box
      component="img"
      key={attempt}
      src={source}
      onError={onError}
      alt={name}
      style={{ width: shown, aspectRatio: `${width} / ${height}` }}
      sx={{ display: 'block', maxWidth: '100%' }}
    />
  );
  if (readOnly) return picture;
  return (
    <Box
      sx={{ position: 'relative', display: 'inline-block', direction: 'ltr', cursor: 'crosshair' }}
    >
      <Box onClick={click}>{picture}</Box>
      <Box
        role="button"
        tabIndex={0}
        aria-label={translate('file.focalPoint', { x, y })}
        onKeyDown={key}
        style={{ left: `${(100 * x) / width}%`, top: `${(100 * y) / height}%` }}
        sx={{
          ...{ position: 'absolute', width: 24, height: 24, m: '-12px', borderRadius: '50%' },
          border: '2px solid #fff',
          boxShadow: '0 0 0 2px #000',
          bgcolor: 'rgba(255,255,255,.25)',
        }}
      />
    </Box>
  );
}

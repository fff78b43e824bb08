/** A small line of a few numbers beside a name: its shape counts, not its values. */
import Box from '@mui/material/Box';

export interface SparklineProps {
  /** From the oldest to the latest, none below zero. */
  readonly values: readonly number[];
  /** What it shows, in words. */
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 24;
/** Room for the line itself. */
const EDGE = 2;

/** The corners of the line, the highest value at the top. */
function cornersOf(values: readonly number[]): readonly string[] {
  const most = Math.max(...values, 1);
  const step = WIDTH / Math.max(values.length - 1, 1);
  return values.map((value, index) => {
    const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
}

export function Sparkline({ values, label }: SparklineProps) {
  const corners = cornersOf(values).join(' ');
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      sx={{ display: 'block', width: '100%', height: HEIGHT, color: 'primary.main' }}
    >
      <polygon
        points={`0,${HEIGHT} ${corners} ${WIDTH},${HEIGHT}`}
        fill="currentColor"
        opacity={0.12}
      />
      <polyline
        points={corners}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </Box>
  );
}

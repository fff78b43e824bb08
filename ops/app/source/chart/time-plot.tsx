/** The picture of a time chart. It is a file of its own, because the library of charts is large. */
import { useTheme } from '@mui/material/styles';
import { BarChart } from '@mui/x-charts/BarChart';
import { LineChart } from '@mui/x-charts/LineChart';
import { useZone } from '../data/use-zone.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { chartColour } from './palette.ts';
import { axisBegin, type FormatValue, type Series, tickStep, X_HEIGHT } from './series.ts';
import { roundTimes, timeWriters } from './times.ts';

export interface TimePlotProps {
  readonly times: readonly Date[];
  readonly form: 'lines' | 'bars';
  readonly series: readonly Series[];
  readonly format: FormatValue;
  readonly height: number;
}

export function TimePlot({ times, form, series, format, height }: TimePlotProps) {
  const [locale] = useLocaleState();
  const zone = useZone();
  const { mode } = useTheme().palette;
  const { full, short } = timeWriters(times, locale, zone);
  const ticks = [...roundTimes(times, zone)];
  const isTick = new Set(ticks.map(Number));
  const write = (value: number | null) => (value === null ? null : format(value, locale));
  const valueFormatter = (time: Date, { location }: { readonly location: string }) =>
    location === 'tick' ? short(time) : full(time);
  const drawn = series.map(({ name, values, colour }, place) => ({
    id: name,
    label: name,
    data: [...values],
    color: chartColour(mode, colour ?? place),
    valueFormatter: write,
  }));
  const frame = {
    height,
    // What is read again each few seconds would never rest.
    skipAnimation: true,
    disableKeyboardNavigation: true,
    grid: { horizontal: true },
    hideLegend: series.length < 2,
    margin: { left: 0, right: 16, top: 8, bottom: 0 },
    yAxis: [
      {
        ...axisBegin(series),
        width: 'auto' as const,
        tickNumber: 4,
        ...tickStep(series),
        disableLine: true,
        disableTicks: true,
        valueFormatter: (value: number) => format(value, locale),
      },
    ],
  };
  const data = [...times];
  if (form === 'bars') {
    return (
      <BarChart
        {...frame}
        series={drawn.map((one) => ({ ...one, stack: 'all' }))}
        xAxis={[
          {
            scaleType: 'band',
            height: X_HEIGHT,
            data,
            valueFormatter,
            tickInterval: (time: Date) => isTick.has(Number(time)),
            categoryGapRatio: 0.15,
          },
        ]}
      />
    );
  }
  return (
    <LineChart
      {...frame}
      series={drawn.map((one) => ({ ...one, showMark: false, curve: 'linear' as const }))}
      xAxis={[{ scaleType: 'time', height: X_HEIGHT, data, valueFormatter, tickInterval: ticks }]}
    />
  );
}

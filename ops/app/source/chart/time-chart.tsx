/** Series of values along time, as lines or as stacked bars. */
import { lazy } from 'react';
import { useZone } from '../data/use-zone.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { CHART_HEIGHT, ChartFrame } from './chart-frame.tsx';
import { type ChartProps, formatPlain } from './series.ts';
import { momentOf, timeWriters } from './times.ts';

const TimePlot = lazy(() => import('./time-plot.tsx').then((m) => ({ default: m.TimePlot })));

export interface TimeChartProps extends ChartProps {
  /** ISO-8601, in order and evenly far from each other; a date alone is a day of the reader. */
  readonly times: readonly string[];
  /** Bars stand on each other. */
  readonly form?: 'lines' | 'bars';
}

export function TimeChart({ times, form = 'lines', ...chart }: TimeChartProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const zone = useZone();
  const moments = times.map((time) => momentOf(time, zone));
  const { full } = timeWriters(moments, locale, zone);
  return (
    <ChartFrame {...chart} along={translate('chart.time')} rows={moments.map(full)}>
      <TimePlot
        times={moments}
        form={form}
        series={chart.series}
        format={chart.format ?? formatPlain}
        height={chart.height ?? CHART_HEIGHT}
      />
    </ChartFrame>
  );
}

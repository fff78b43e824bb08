/** Series of values for categories, as bars side by side or on each other. */
import { lazy } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { CHART_HEIGHT, ChartFrame } from './chart-frame.tsx';
import { type ChartProps, formatPlain } from './series.ts';

const BarPlot = lazy(() => import('./bar-plot.tsx').then((m) => ({ default: m.BarPlot })));

export interface BarChartProps extends ChartProps {
  readonly categories: readonly string[];
  /** Whether the bars of a category stand on each other. */
  readonly stacked?: boolean;
  /** Bars from left to right, for categories with long names. */
  readonly lying?: boolean;
}

export function BarChart({ categories, stacked = false, lying = false, ...chart }: BarChartProps) {
  const translate = useTranslate();
  return (
    <ChartFrame {...chart} along={translate('chart.category')} rows={categories}>
      <BarPlot
        categories={categories}
        stacked={stacked}
        lying={lying}
        series={chart.series}
        format={chart.format ?? formatPlain}
        height={chart.height ?? CHART_HEIGHT}
      />
    </ChartFrame>
  );
}

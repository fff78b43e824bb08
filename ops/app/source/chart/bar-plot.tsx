/** The picture of a bar chart. It is a file of its own, because the library of charts is large. */
import { useTheme } from '@mui/material/styles';
import { BarChart } from '@mui/x-charts/BarChart';
import { useLocaleState } from '../translation/use-translate.ts';
import { chartColour } from './palette.ts';
import { axisBegin, type FormatValue, type Series } from './series.ts';

export interface BarPlotProps {
  readonly categories: readonly string[];
  readonly stacked: boolean;
  readonly lying: boolean;
  readonly series: readonly Series[];
  readonly format: FormatValue;
  readonly height: number;
}

export function BarPlot({ categories, stacked, lying, series, format, height }: BarPlotProps) {
  const [locale] = useLocaleState();
  const { mode } = useTheme().palette;
  const write = (value: number | null) => (value === null ? null : format(value, locale));
  const bands = { scaleType: 'band' as const, data: [...categories], categoryGapRatio: 0.3 };
  const values = {
    ...axisBegin(series),
    tickNumber: 4,
    disableLine: true,
    disableTicks: true,
    valueFormatter: (value: number) => format(value, locale),
  };
  return (
    <BarChart
      height={height}
      skipAnimation
      disableKeyboardNavigation
      layout={lying ? 'horizontal' : 'vertical'}
      grid={lying ? { vertical: true } : { horizontal: true }}
      hideLegend={series.length < 2}
      margin={{ left: 0, right: 16, top: 8, bottom: 0 }}
      series={series.map(({ name, values: data, colour }, place) => ({
        id: name,
        label: name,
        data: [...data],
        color: chartColour(mode, colour ?? place),
        valueFormatter: write,
        ...(stacked && { stack: 'all' }),
      }))}
      xAxis={[lying ? values : bands]}
      yAxis={[lying ? { ...bands, width: 'auto' as const } : { ...values, width: 'auto' as const }]}
    />
  );
}

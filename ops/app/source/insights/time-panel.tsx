/** A value along time, as a line or as bars. */
import { useMemo } from 'react';
import { TimeChart } from '../chart/time-chart.tsx';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelFailure } from './panel-note.tsx';
import { aggregateValue, emptyValue, timeQuery } from './panel-query.ts';
import { alongTime, partOf, precisionFor } from './period.ts';
import { useRows, useValueName } from './use-panel.ts';

const NO_ROWS = [] as const;

export function TimePanel({ title, options, context, page, height, menuOf }: KindProps) {
  const translate = useTranslate();
  const { reading, span } = context;
  const type = reading?.dateType ?? '';
  const precision = precisionFor(options.precision, span, type);
  const rows = useRows(
    options.collection,
    reading === null ? null : timeQuery(options, reading, precision),
  );
  const name = useValueName(options, context);
  const shown = title ?? name;
  const { data = NO_ROWS } = rows;
  const { times, values } = useMemo(() => {
    const points = data.flatMap((row): [Date, number | null][] => {
      const time = partOf(row, options.dateField, precision);
      return time === null ? [] : [[time, aggregateValue(row, options)]];
    });
    const along = { span, precision, type, now: page.now };
    return alongTime(
      points.toSorted(([one], [other]) => Number(one) - Number(other)),
      along,
      emptyValue(options.function),
    );
  }, [data, options, precision, span, type, page.now]);
  if (rows.isError || rows.data === undefined) {
    return (
      <PanelFrame title={shown} height={height} actions={menuOf(shown, null)}>
        {rows.isError ? <PanelFailure error={rows.error} /> : <Loading />}
      </PanelFrame>
    );
  }
  const table = {
    heads: [translate('chart.time'), name],
    rows: times.map((time, place) => [time, values[place] ?? null]),
  };
  return (
    <TimeChart
      title={shown}
      times={times}
      series={[{ name, values }]}
      form={options.look}
      height={height}
      actions={menuOf(shown, table)}
    />
  );
}

/** The curves of a queue, or of all together: what was done, what waits, how long it takes, what fails. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import type { FormatValue } from '../chart/series.ts';
import { TimeChart } from '../chart/time-chart.tsx';
import { formatNumber } from '../display/format.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { curvesOf } from './curves.ts';
import { formatDuration, formatMilliseconds } from './duration.ts';
import { usePeriod } from './period-choice.tsx';
import { reasonName } from './reason-name.ts';
import { statisticsQuery } from './statistics-query.ts';

/** Places in the palette, so that a result has one colour in all charts. */
const COLOUR = { completed: 2, failed: 1, cancelled: 5 } as const;

const seconds: FormatValue = (value, locale) =>
  value > 0 && value < 1
    ? formatMilliseconds(value * 1_000, locale)
    : formatDuration(value * 1_000, locale);
const count: FormatValue = (value, locale) => formatNumber(value, locale);

export interface QueueCurvesProps {
  /** The name of a queue; null for all. */
  readonly queue: string | null;
  /** Only those that tell at a glance how things are. */
  readonly brief?: boolean;
}

export function QueueCurves({ queue, brief = false }: QueueCurvesProps) {
  const translate = useTranslate();
  const statistics = useQuery(statisticsQuery(usePeriod()));
  if (statistics.isPending) return <Loading />;
  if (statistics.isError) {
    return <Failure error={statistics.error} retry={() => statistics.refetch()} />;
  }
  const curves = curvesOf(statistics.data, queue);
  const { times, p50, p99 } = curves;
  const text = (key: string) => translate(`operations.curve.${key}`);
  const ended = (['completed', 'failed', 'cancelled'] as const).map((state) => ({
    name: translate(`operations.state.${state}`),
    values: curves[state],
    colour: COLOUR[state],
  }));
  const one = (key: string, values: readonly (number | null)[]) => [{ name: text(key), values }];
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 3,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
      }}
    >
      <TimeChart title={text('ended')} times={times} series={ended} form="bars" format={count} />
      <TimeChart
        title={text('waiting')}
        times={times}
        series={one('waiting', curves.waiting)}
        format={count}
      />
      {!brief && (
        <>
          <TimeChart
            title={text('oldest')}
            times={times}
            series={one('oldest', curves.oldest)}
            format={seconds}
          />
          {p50 !== null && p99 !== null && (
            <TimeChart
              title={text('durations')}
              times={times}
              series={[...one('p50', p50), ...one('p99', p99)]}
              format={seconds}
            />
          )}
          <TimeChart
            title={text('rows')}
            times={times}
            series={one('rows', curves.rowsPerSecond)}
          />
        </>
      )}
      <TimeChart
        title={text('reasons')}
        times={times}
        series={curves.reasons.map(({ reason, values }) => ({
          name: reasonName(reason, translate),
          values,
        }))}
        form="bars"
        format={count}
      />
      {queue === null && (
        <TimeChart
          title={text('processes')}
          times={times}
          series={[...one('edges', curves.edges), ...one('workers', curves.workers)]}
          format={count}
        />
      )}
    </Box>
  );
}

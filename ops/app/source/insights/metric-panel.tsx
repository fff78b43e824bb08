/** One number, and how it has changed since the period before. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { formatPlain } from '../chart/series.ts';
import { Loading } from '../shell/loading.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelFailure } from './panel-note.tsx';
import { aggregateValue, metricQuery } from './panel-query.ts';
import { spanBefore } from './period.ts';
import { useRows, useValueName } from './use-panel.ts';

interface ChangeProps {
  readonly value: number;
  readonly before: number;
}

/** The change as a share of what was before; without that there is no share. */
function Change({ value, before }: ChangeProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  const share = before === 0 ? null : (value - before) / Math.abs(before);
  const icon = value > before ? 'arrow_upward' : value < before ? 'arrow_downward' : 'remove';
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, color: 'text.secondary' }}>
      <Icon name={icon} fontSize="small" />
      <Typography variant="body2">
        {share !== null && <b>{percent.format(share)} </b>}
        {translate('insights.before', { value: formatPlain(before, locale) })}
      </Typography>
    </Box>
  );
}

export function MetricPanel({ title, options, context, page, height, menuOf }: KindProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { reading, span } = context;
  const rows = useRows(options.collection, reading === null ? null : metricQuery(options, reading));
  const earlier =
    reading === null || span === null || options.dateField === ''
      ? null
      : metricQuery(options, { ...reading, span: spanBefore(span, page.now) });
  const past = useRows(options.collection, earlier);
  const name = useValueName(options, context);
  const shown = title ?? name;
  const valueIn = (data: typeof rows.data) => {
    const [row] = data ?? [];
    return row === undefined ? null : aggregateValue(row, options);
  };
  const value = valueIn(rows.data);
  const before = earlier === null ? null : valueIn(past.data);
  const table =
    rows.data === undefined
      ? null
      : {
          heads: [name, ...(before === null ? [] : [translate('insights.periodBefore')])],
          rows: [[value, ...(before === null ? [] : [before])]],
        };
  return (
    <PanelFrame title={shown} height={height} actions={menuOf(shown, table)}>
      {rows.isError ? (
        <PanelFailure error={rows.error} />
      ) : rows.data === undefined ? (
        <Loading />
      ) : (
        <Box sx={{ height: '100%', display: 'grid', alignContent: 'center', gap: 0.5 }}>
          <Typography
            component="p"
            sx={{ fontSize: { xs: 36, md: 40 }, fontWeight: 650, lineHeight: 1.1 }}
          >
            {value === null ? '–' : formatPlain(value, locale)}
          </Typography>
          {value !== null && before !== null && <Change value={value} before={before} />}
        </Box>
      )}
    </PanelFrame>
  );
}

/** What every chart stands in: its name, and its table in place of the picture where that is asked for. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { type ReactNode, Suspense, useId, useState } from 'react';
import { DataTable } from '../shell/data-table.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type ChartProps, formatPlain, hasValues } from './series.ts';

export const CHART_HEIGHT = 240;

export interface ChartFrameProps extends ChartProps {
  /** What the rows of the table are, such as times. */
  readonly along: string;
  /** The rows of the table: a time or a category each. */
  readonly rows: readonly string[];
  /** The picture, which is loaded when it is first shown. */
  readonly children: ReactNode;
}

export function ChartFrame({
  title,
  series,
  format = formatPlain,
  height = CHART_HEIGHT,
  actions,
  along,
  rows,
  children,
}: ChartFrameProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const id = useId();
  const [hasTable, setHasTable] = useState(false);
  const isEmpty = !hasValues(series);
  return (
    <Box component="figure" aria-labelledby={id} sx={{ m: 0, minWidth: 0 }}>
      <Box
        component="figcaption"
        sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 36, mb: 0.5 }}
      >
        <Typography id={id} variant="h3" component="span" sx={{ flex: 1, minWidth: 0 }}>
          {title}
        </Typography>
        {!isEmpty && (
          <Button
            size="small"
            color="inherit"
            startIcon={<Icon name={hasTable ? 'bar_chart' : 'table_chart'} />}
            onClick={() => setHasTable(!hasTable)}
            sx={{ color: 'text.secondary', flexShrink: 0 }}
          >
            {translate(hasTable ? 'chart.showChart' : 'chart.showTable')}
          </Button>
        )}
        {actions}
      </Box>
      {isEmpty ? (
        <Box
          sx={{
            height,
            display: 'grid',
            placeItems: 'center',
            border: '1px dashed',
            borderColor: 'divider',
            borderRadius: 1,
          }}
        >
          <Typography color="textSecondary">{translate('chart.empty')}</Typography>
        </Box>
      ) : hasTable ? (
        <Box sx={{ maxHeight: Math.max(height, 320), overflow: 'auto' }} tabIndex={0}>
          <DataTable
            labelledBy={id}
            heads={[along, ...series.map(({ name }) => ({ text: name, align: 'right' as const }))]}
          >
            {rows.map((row, place) => (
              <TableRow key={row}>
                <TableCell sx={{ whiteSpace: 'nowrap' }}>{row}</TableCell>
                {series.map(({ name, values }) => {
                  const value = values[place] ?? null;
                  return (
                    <TableCell key={name} align="right">
                      {value === null ? '–' : format(value, locale)}
                    </TableCell>
                  );
                })}
              </TableRow>
            ))}
          </DataTable>
        </Box>
      ) : (
        <Suspense fallback={<Box sx={{ height }} />}>
          <Box role="img" aria-labelledby={id}>
            {children}
          </Box>
        </Suspense>
      )}
    </Box>
  );
}

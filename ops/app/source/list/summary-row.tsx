/** The last row of the table of a list: sums and the like of all items that the list has. */
import Box from '@mui/material/Box';
import TableCell from '@mui/material/TableCell';
import TableFooter from '@mui/material/TableFooter';
import TableRow from '@mui/material/TableRow';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Filter } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { alignmentOf, type Column } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { Value } from '../display/value.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { SUMMARIES, type Summary, summariesOf } from './grid.ts';
import { CELL, pinnedAt } from './item-row.tsx';

export interface SummaryRowProps {
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly summaries: Readonly<Record<string, Summary>>;
  readonly pinned: number;
  readonly filter: Filter | null;
  readonly search: string;
  /** Cells before the first column, and after the last one. */
  readonly before: number;
  readonly after: number;
}

/** Digits of an average beyond those of the values. */
const DIGITS = 2;

/** An average as people read it; the server has many digits of it. */
function rounded(value: unknown, scale: number | null): string {
  const number = Number(value);
  return Number.isFinite(number) ? String(Number(number.toFixed((scale ?? 0) + DIGITS))) : '';
}

export function SummaryRow(props: SummaryRowProps) {
  const { collection, columns, summaries, pinned, filter, search, before, after } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const wanted = columns.flatMap((column) => {
    const summary = summaries[column.field.field];
    const fits = summary !== undefined && summariesOf(column).includes(summary);
    return fits ? [{ name: column.field.field, summary }] : [];
  });
  const asked = SUMMARIES.flatMap((summary): [Summary, readonly string[]][] => {
    const names = wanted.filter((one) => one.summary === summary).map(({ name }) => name);
    return names.length === 0 ? [] : [[summary, names]];
  });
  const query = {
    aggregate: Object.fromEntries(asked),
    ...(filter !== null && { filter }),
    ...(search !== '' && { search }),
  };
  const { data, isFetching, isError } = useQuery({
    queryKey: ['items', collection, 'summary', query],
    queryFn: ({ signal }) => client.items(collection).aggregate(query, { signal }),
    enabled: asked.length > 0,
    placeholderData: keepPreviousData,
  });
  if (asked.length === 0) return null;
  const row = data?.[0];
  const content = ({ field }: Column, summary: Summary) => {
    const values = row?.[summary];
    const value: unknown = isItem(values) ? values[field.field] : undefined;
    if (isError) return translate('list.noSummary');
    if (value === undefined) return '…';
    if (summary === 'count') return formatNumber(value, locale);
    if (summary === 'avg' && value !== null) {
      return formatNumber(rounded(value, field.schema?.numeric_scale ?? null), locale);
    }
    return <Value field={field} value={value} />;
  };
  const empty = (count: number, place: string) =>
    Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: nothing tells these cells apart.
      <TableCell key={`${place}${index}`} padding="none" />
    ));
  return (
    <TableFooter aria-busy={isFetching}>
      <TableRow>
        {empty(before, 'before')}
        {columns.map((column, index) => {
          const name = column.field.field;
          const one = wanted.find((known) => known.name === name);
          return (
            <TableCell
              key={name}
              align={alignmentOf(column)}
              sx={{
                ...CELL,
                ...pinnedAt(index, pinned),
                ...{ color: 'text.primary', bgcolor: 'background.paper', borderBottom: 0 },
              }}
            >
              {one !== undefined && (
                <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums', fontSize: 13 }}>
                  <Box component="span" sx={{ color: 'text.secondary', fontSize: 12 }}>
                    {translate(`list.summary_${one.summary}`)}{' '}
                  </Box>
                  <Box component="span" sx={{ fontWeight: 600 }}>
                    {content(column, one.summary)}
                  </Box>
                </Box>
              )}
            </TableCell>
          );
        })}
        {empty(after, 'after')}
      </TableRow>
    </TableFooter>
  );
}

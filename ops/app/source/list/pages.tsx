/** Leads through the pages of a list, and says how many items there are. */
import Box from '@mui/material/Box';
import Pagination from '@mui/material/Pagination';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { formatNumber } from '../display/format.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { LIMITS, type ListState } from './list-state.ts';

export interface PagesProps {
  readonly count: number;
  readonly state: ListState;
  readonly change: (changes: Partial<ListState>) => void;
}

export function Pages({ count, state, change }: PagesProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { page, limit } = state;
  const from = (page - 1) * limit + 1;
  const to = Math.min(page * limit, count);
  const number = (value: number) => formatNumber(value, locale);
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 2, mt: 2 }}>
      <Typography variant="body2" color="textSecondary" role="status">
        {translate('list.range', { from: number(from), to: number(to), count: number(count) })}
      </Typography>
      <TextField
        select
        value={limit}
        onChange={({ target }) => change({ limit: Number(target.value) })}
        slotProps={{
          select: { native: true },
          htmlInput: { 'aria-label': translate('list.perPage') },
        }}
        sx={{ width: 84 }}
      >
        {LIMITS.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </TextField>
      <Box sx={{ flex: 1 }} />
      {count > limit && (
        <Pagination
          count={Math.ceil(count / limit)}
          page={page}
          onChange={(_, next) => change({ page: next })}
          aria-label={translate('list.pages')}
          getItemAriaLabel={(type, target) =>
            translate(`list.page_${type}`, { page: target ?? '' })
          }
          shape="rounded"
        />
      )}
    </Box>
  );
}

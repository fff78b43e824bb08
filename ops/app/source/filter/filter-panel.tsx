/** The filter of a list while it is edited; what is complete holds at once. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useEffect, useId, useState } from 'react';
import type { Filter } from '../data/schema-types.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FilterEditor } from './filter-editor.tsx';
import { readFilter, writeFilter } from './filter-tree.ts';

export interface FilterPanelProps {
  readonly id: string;
  readonly collection: string;
  readonly filter: Filter | null;
  readonly onChange: (filter: Filter | null) => void;
}

/** How long after the last change the list is read again. */
const PAUSE = 300;

export function FilterPanel({ id, collection, filter, onChange }: FilterPanelProps) {
  const translate = useTranslate();
  const title = useId();
  const [draft, setDraft] = useState(() => readFilter(filter));
  const shown = JSON.stringify(filter);
  const written = writeFilter(draft);
  const mine = JSON.stringify(written);
  const [last, setLast] = useState(shown);
  // What was told and is not shown yet: the address follows later than one types.
  const [told, setTold] = useState<readonly string[]>([]);
  if (shown !== last) {
    setLast(shown);
    const place = told.indexOf(shown);
    if (place >= 0) setTold(told.slice(place + 1));
    // Somebody else has changed it: a bookmark, or the way back.
    else if (shown !== mine) setDraft(readFilter(filter));
  }
  useEffect(() => {
    if (mine === shown) return;
    const timer = setTimeout(() => {
      setTold((before) => [...before, mine]);
      onChange(JSON.parse(mine));
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [mine, shown, onChange]);
  const isEmpty = draft.members.length === 0;
  return (
    <Paper
      id={id}
      component="section"
      aria-labelledby={title}
      variant="outlined"
      sx={{ p: 2, mb: 1.5, display: 'grid', gap: 1.5 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, flexWrap: 'wrap' }}>
        <Typography id={title} variant="h2">
          {translate('filter.title')}
        </Typography>
        <Typography variant="body2" color="textSecondary" sx={{ flex: 1 }}>
          {translate(isEmpty ? 'filter.none' : 'filter.help')}
        </Typography>
        {!isEmpty && (
          <Button size="small" onClick={() => setDraft(readFilter(null))}>
            {translate('filter.clear')}
          </Button>
        )}
      </Box>
      <FilterEditor collection={collection} filter={draft} onChange={setDraft} />
    </Paper>
  );
}

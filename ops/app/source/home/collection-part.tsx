/** The collections on the home: those that are pinned, then the others in the order of the menu. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { usePins } from '../data/pins.ts';
import type { Branch } from '../navigation/tree.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { CollectionCard } from './collection-card.tsx';

/** How many are shown at once: each of them is counted. */
const AT_ONCE = 12;
const WAITING = ['a', 'b', 'c', 'd', 'e', 'f'];

const GRID = {
  listStyle: 'none',
  m: 0,
  p: 0,
  display: 'grid',
  gap: 1.5,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 156px), 1fr))',
  '@media (min-width: 900px)': { gridTemplateColumns: 'repeat(auto-fill, minmax(208px, 1fr))' },
} as const;

/** What stands in the place of the cards while they are read. */
export function WaitingCards() {
  return (
    <Box sx={GRID} aria-hidden>
      {WAITING.map((one) => (
        <Paper key={one} variant="outlined" sx={{ p: 1.5 }}>
          <Skeleton width="70%" height={32} />
          <Skeleton width="40%" />
          <Skeleton variant="rounded" height={24} />
        </Paper>
      ))}
    </Box>
  );
}

export function CollectionPart({ branches }: { readonly branches: readonly Branch[] }) {
  const translate = useTranslate();
  const id = useId();
  const [shown, setShown] = useState(AT_ONCE);
  const { isPinned } = usePins();
  const pinned = branches.filter(({ collection }) => isPinned(collection));
  const others = branches.filter((branch) => !pinned.includes(branch));
  const all = [...pinned, ...others];
  const left = all.length - shown;
  return (
    <Box component="section" aria-labelledby={id}>
      <Typography id={id} variant="h2" sx={{ mb: 1.5 }}>
        {translate('home.collections')}
      </Typography>
      <Box component="ul" sx={GRID}>
        {all.slice(0, shown).map((branch) => (
          <CollectionCard key={branch.collection.collection} branch={branch} />
        ))}
      </Box>
      {left > 0 && (
        <Button sx={{ mt: 1.5 }} onClick={() => setShown(shown + 2 * AT_ONCE)}>
          {translate('home.more', { smart_count: left })}
        </Button>
      )}
    </Box>
  );
}

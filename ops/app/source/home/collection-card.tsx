/** A collection on the home: its name, how many items it has, and how often they changed lately. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Sparkline } from '../chart/sparkline.tsx';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { listPath } from '../data/route-of.ts';
import { formatNumber } from '../display/format.ts';
import type { Branch } from '../navigation/tree.ts';
import { PinButton } from '../shell/pin-button.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { changesQuery } from './change-query.ts';
import { countQuery } from './count-query.ts';
import { DAYS } from './day-counts.ts';

/** The room of the line, so that nothing moves when it comes. */
const LINE_HEIGHT = 24;

function ItemCount({ name }: { readonly name: string }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const access = useRights()[name]?.read?.access ?? 'none';
  const count = useQuery(countQuery(name, access)).data;
  if (count === undefined) return <Skeleton width={72} />;
  return translate(`home.count_${count.kind}`, {
    smart_count: count.count,
    count: formatNumber(count.count, locale),
  });
}

function Changes({ name }: { readonly name: string }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const enabled = may(useRights(), 'system_activity', 'read');
  const changes = useQuery({ ...changesQuery, enabled }).data?.get(name);
  if (changes === undefined) return null;
  const sum = changes.reduce((total, number) => total + number, 0);
  const label = translate('home.changes', {
    ...{ smart_count: sum, count: formatNumber(sum, locale), days: DAYS },
  });
  return <Sparkline values={changes} label={label} />;
}

export function CollectionCard({ branch }: { readonly branch: Branch }) {
  const { collection, name: title } = branch;
  const { collection: name, meta } = collection;
  return (
    <Paper
      component="li"
      variant="outlined"
      sx={{
        position: 'relative',
        display: 'grid',
        gap: 0.5,
        gridTemplateColumns: 'minmax(0, 1fr)',
        p: 1.5,
        transition: 'border-color 120ms',
        '&:hover': { borderColor: 'primary.main' },
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 32 }}>
        <NamedIcon
          name={meta?.icon ?? null}
          fallback="list"
          sx={{ fontSize: 20, flexShrink: 0, color: meta?.color || 'text.secondary' }}
        />
        <Box
          component={Link}
          to={listPath(name)}
          title={title}
          sx={{
            flex: 1,
            minWidth: 0,
            overflow: 'hidden',
            textOverflow: 'ellipsis',
            whiteSpace: 'nowrap',
            color: 'text.primary',
            fontWeight: 650,
            textDecoration: 'none',
            // All of the card leads there.
            '&::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 'inherit' },
          }}
        >
          {title}
        </Box>
        <Box sx={{ position: 'relative', zIndex: 1, m: -0.5, display: 'flex' }}>
          <PinButton pin={{ collection: name }} name={title} size="small" />
        </Box>
      </Box>
      <Typography variant="body2" component="div" color="textSecondary">
        {meta?.singleton ? ' ' : <ItemCount name={name} />}
      </Typography>
      <Box sx={{ height: LINE_HEIGHT }}>
        <Changes name={name} />
      </Box>
    </Paper>
  );
}

/** The differences of a snapshot, by collection; what would be lost is red, with how much that is. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Chip from '@mui/material/Chip';
import FormControlLabel from '@mui/material/FormControlLabel';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Becomes } from '../display/becomes.tsx';
import { formatNumber } from '../display/format.ts';
import { Part } from '../shell/part.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { lossQuery } from './loss.ts';
import { type DiffGroup, type Entry, valueText } from './snapshot-diff.ts';

const COLOURS = { new: 'success', gone: 'error', changed: 'default' } as const;

/** How many items, or values, go with what is deleted. */
function Loss({ entry }: { readonly entry: Entry }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const isField = entry.what === 'field';
  const lost = useQuery(lossQuery(entry.collection, isField ? entry.name : undefined));
  // An alias and a folder hold nothing.
  if (lost.data === undefined) return null;
  const rows = formatNumber(lost.data, locale);
  const key = isField ? 'model.deleteValues' : 'model.deleteRows';
  const none = isField ? 'model.deleteNoValues' : 'model.deleteNoRows';
  return (
    <Typography
      variant="body2"
      sx={{ color: lost.data > 0 ? 'error.main' : 'text.secondary', fontWeight: 600 }}
    >
      {lost.data === 0 ? translate(none) : translate(key, { smart_count: lost.data, rows })}
    </Typography>
  );
}

function Details({ entry }: { readonly entry: Entry }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: 'minmax(140px, max-content) 1fr' },
        columnGap: 2,
        rowGap: 0.25,
        fontSize: 13,
      }}
    >
      {entry.details.map(({ path, before, after }) => (
        <Box key={path} sx={{ display: 'contents' }}>
          <Box component="dt" sx={{ color: 'text.secondary', fontFamily: 'monospace' }}>
            {path}
          </Box>
          <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
            <Box component="del" sx={{ color: 'text.secondary' }}>
              {valueText(before)}
            </Box>
            <Becomes />
            <Box component="ins" sx={{ textDecoration: 'none', fontWeight: 600 }}>
              {valueText(after)}
            </Box>
          </Box>
        </Box>
      ))}
    </Box>
  );
}

function EntryRow({ entry }: { readonly entry: Entry }) {
  const translate = useTranslate();
  const { what, name, kind, collection } = entry;
  const counts = kind === 'gone' && (what === 'collection' || what === 'field');
  return (
    <Box component="li" sx={{ display: 'grid', gap: 0.5 }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Chip
          size="small"
          variant="outlined"
          color={COLOURS[kind]}
          label={translate(`model.diff.${kind}`)}
        />
        <Typography variant="body2" color="textSecondary">
          {translate(`model.made.${what}`)}
        </Typography>
        <Typography component="code" sx={{ fontFamily: 'monospace', fontSize: 13 }}>
          {name === '' ? collection : name}
        </Typography>
        {counts && <Loss entry={entry} />}
      </Box>
      {entry.details.length > 0 && <Details entry={entry} />}
    </Box>
  );
}

export interface DiffListProps {
  readonly groups: readonly DiffGroup[];
  /** The collections whose differences are to be applied. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

export function DiffList({ groups, chosen, onChoose }: DiffListProps) {
  const translate = useTranslate();
  const several = groups.length > 1;
  const names = groups.map(({ collection }) => collection);
  const choose = (collection: string, checked: boolean) =>
    onChoose(new Set(names.filter((name) => (name === collection ? checked : chosen.has(name)))));
  return (
    <>
      {several && (
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={chosen.size === names.length}
              indeterminate={chosen.size > 0 && chosen.size < names.length}
              onChange={(_, checked) => onChoose(new Set(checked ? names : []))}
            />
          }
          label={translate('model.applyAll')}
          sx={{ justifySelf: 'start' }}
        />
      )}
      {groups.map(({ collection, entries }) => (
        <Part key={collection} title={collection}>
          {several && (
            <FormControlLabel
              control={
                <Checkbox
                  size="small"
                  checked={chosen.has(collection)}
                  onChange={(_, checked) => choose(collection, checked)}
                  slotProps={{
                    input: { 'aria-label': translate('model.applyThese', { name: collection }) },
                  }}
                />
              }
              label={translate('model.applyThis')}
              slotProps={{ typography: { variant: 'body2' } }}
              sx={{ justifySelf: 'start' }}
            />
          )}
          <Box
            component="ul"
            sx={{
              ...{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5 },
              ...(!chosen.has(collection) && { filter: 'grayscale(1)' }),
            }}
          >
            {entries.map((entry) => (
              <EntryRow key={`${entry.what} ${entry.name}`} entry={entry} />
            ))}
          </Box>
        </Part>
      ))}
    </>
  );
}

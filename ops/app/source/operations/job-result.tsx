/** The numbers that a job has come to, such as the rows that an import has inserted. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { Job } from '../../../client/source/index.ts';
import { formatNumber } from '../display/format.ts';
import { humanize } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

/** The order in which they are told; others follow. */
const ORDER = [
  ...['inserted', 'updated', 'unchanged', 'deleted', 'duplicates', 'skipped', 'failed'],
  'not_deleted',
];

const placeOf = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The numbers of a result, which is what imports and exports tell. */
function numbersOf(result: unknown): readonly (readonly [string, number])[] {
  if (typeof result !== 'object' || result === null) return [];
  return Object.entries(result)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other));
}

export function JobResult({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const numbers = numbersOf(job.result);
  if (numbers.length === 0) return null;
  return (
    <Paper
      variant="outlined"
      sx={{ p: 2, display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 2 }}
    >
      {numbers.map(([name, value]) => (
        <Box key={name}>
          <Typography sx={{ fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.2 }}>
            {formatNumber(value, locale)}
          </Typography>
          <Typography variant="body2" color="textSecondary">
            {translate(`operations.result.${name}`, { _: humanize(name) })}
          </Typography>
        </Box>
      ))}
    </Paper>
  );
}

/** All that a policy or a user may do, as sentences, one list for each collection. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useTranslate } from '../translation/use-translate.ts';
import { ACTIONS } from './access-types.ts';
import { useMatrixRows } from './matrix-rows.ts';
import { type Cells, cellKey } from './permission-rules.ts';
import { RuleSentences } from './rule-sentences.tsx';

export interface RightsInWordsProps {
  readonly cells: Cells;
}

/** The rules of a collection in the order of the matrix. */
function rulesOf(cells: Cells, collection: string) {
  return ACTIONS.flatMap((action) =>
    (cells.get(cellKey(collection, action)) ?? []).map((rule, index) => ({ action, rule, index })),
  );
}

export function RightsInWords({ cells }: RightsInWordsProps) {
  const translate = useTranslate();
  const own = useMatrixRows(cells, '', false);
  const system = useMatrixRows(cells, '', true);
  const rows = [...own.rows, ...system.rows]
    .map((row) => ({ ...row, rules: rulesOf(cells, row.collection) }))
    .filter(({ rules }) => rules.length > 0);
  return (
    <Box component="section" aria-labelledby="in-words" sx={{ display: 'grid', gap: 1.5 }}>
      <Typography variant="h2" id="in-words">
        {translate('sentence.title')}
      </Typography>
      {rows.length === 0 && <Typography>{translate('access.nothingAllowed')}</Typography>}
      {rows.map(({ collection, label, rules }) => (
        <Paper key={collection} variant="outlined" sx={{ px: 2, py: 1.5 }}>
          <Typography variant="h3">{label}</Typography>
          <Box component="ul" sx={{ m: 0, mt: 0.5, paddingInlineStart: 2.5, lineHeight: 1.6 }}>
            {rules.map(({ action, rule, index }) => (
              <Box component="li" key={`${action} ${index}`} sx={{ overflowWrap: 'anywhere' }}>
                <RuleSentences collection={collection} action={action} rule={rule} />
              </Box>
            ))}
          </Box>
        </Paper>
      ))}
    </Box>
  );
}

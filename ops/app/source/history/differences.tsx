/** What differs between two states of an item, a field a row: as it was, and as it became. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Field, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { Becomes } from '../display/becomes.tsx';
import { Value } from '../display/value.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { FileValue, isFile } from './file-value.tsx';

interface DifferencesProps {
  readonly fields: readonly Field[];
  readonly before: Item;
  readonly after: Item;
}

function Shown({ field, value }: { readonly field: Field; readonly value: unknown }) {
  const file = typeof value === 'string' && isFile(field);
  return file ? <FileValue file={value} /> : <Value field={field} value={value} />;
}

export function Differences({ fields, before, after }: DifferencesProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const changed = fields.filter(
    ({ field, type }) =>
      type !== 'alias' && field in after && !sameValue(before[field], after[field]),
  );
  if (changed.length === 0) {
    return <Box sx={{ color: 'text.secondary' }}>{translate('history.same')}</Box>;
  }
  return (
    <Box component="dl" sx={{ m: 0, mt: 1, display: 'grid', gap: 1 }}>
      {changed.map((field) => (
        <Box key={field.field}>
          <Typography component="dt" sx={{ fontSize: 12, fontWeight: 600 }} color="textSecondary">
            {fieldName(field, locale)}
          </Typography>
          <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
            {(before[field.field] ?? null) !== null && (
              <>
                <Box component="del" sx={{ color: 'error.main' }}>
                  <Shown field={field} value={before[field.field]} />
                </Box>
                <Becomes />
              </>
            )}
            <Box component="ins" sx={{ color: 'success.main', textDecoration: 'none' }}>
              <Shown field={field} value={after[field.field]} />
            </Box>
          </Box>
        </Box>
      ))}
    </Box>
  );
}

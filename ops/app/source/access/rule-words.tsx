/** Rules in words, each with where it comes from. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import type { Action } from './access-types.ts';
import type { Rule } from './permission-rules.ts';
import { RuleSentences } from './rule-sentences.tsx';

interface RuleWordsProps {
  readonly collection: string;
  readonly action: Action;
  readonly rules: readonly Rule[];
  /** What stands above a rule: where it comes from. */
  readonly origin?: (index: number) => ReactNode;
}

export function RuleWords({ collection, action, rules, origin }: RuleWordsProps) {
  const translate = useTranslate();
  if (rules.length === 0) return <Typography>{translate('access.nothingAllowed')}</Typography>;
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {rules.length > 1 && (
        <Typography color="text.secondary">{translate('access.severalRules')}</Typography>
      )}
      {rules.map((rule, index) => (
        <Paper
          key={JSON.stringify(rule)}
          variant="outlined"
          sx={{ p: 2, display: 'grid', gap: 1.5 }}
        >
          {origin?.(index)}
          <Typography sx={{ overflowWrap: 'anywhere' }}>
            <RuleSentences collection={collection} action={action} rule={rule} />
          </Typography>
        </Paper>
      ))}
    </Box>
  );
}

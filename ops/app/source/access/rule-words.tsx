/** Rules in words: which items, which fields, what is preset, what has to hold. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useFields } from '../data/queries.ts';
import type { Item } from '../data/schema-types.ts';
import { Value } from '../display/value.tsx';
import { FilterWords } from '../filter/filter-words.tsx';
import { isVariable, variableName } from '../filter/variables.ts';
import { Facts } from '../shell/facts.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Action } from './access-types.ts';
import type { Rule } from './permission-rules.ts';

interface RuleWordsProps {
  readonly collection: string;
  readonly action: Action;
  readonly rules: readonly Rule[];
  /** What stands above a rule: where it comes from. */
  readonly origin?: (index: number) => ReactNode;
}

function isNothing(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0;
}

function PresetWords({ collection, presets }: { collection: string; presets: Item }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const fields = useFields(collection);
  return Object.entries(presets).map(([name, value]) => {
    const field = fields.find((known) => known.field === name);
    return (
      <div key={name}>
        {field === undefined ? name : fieldName(field, locale)}:{' '}
        {isVariable(value) ? (
          variableName(value, translate)
        ) : field === undefined ? (
          JSON.stringify(value)
        ) : (
          <Value field={field} value={value} />
        )}
      </div>
    );
  });
}

function FieldNames({ collection, names }: { collection: string; names: readonly string[] }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const fields = useFields(collection);
  if (names.includes('*')) return translate('access.allFields');
  if (names.length === 0) return translate('access.noField');
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
      {names.map((name) => {
        const field = fields.find((known) => known.field === name);
        return <Chip key={name} size="small" label={field ? fieldName(field, locale) : name} />;
      })}
    </Box>
  );
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
          <Facts
            facts={[
              {
                name: translate('access.items'),
                value:
                  action === 'create' ? null : isNothing(rule.permissions) ? (
                    translate('access.allItems')
                  ) : (
                    <FilterWords collection={collection} filter={rule.permissions} />
                  ),
              },
              {
                name: translate('access.fields'),
                value:
                  action === 'delete' ? null : (
                    <FieldNames collection={collection} names={rule.fields} />
                  ),
              },
              {
                name: translate('access.presets'),
                value: isNothing(rule.presets) ? null : (
                  <PresetWords collection={collection} presets={rule.presets ?? {}} />
                ),
              },
              {
                name: translate('access.validation'),
                value: isNothing(rule.validation) ? null : (
                  <FilterWords collection={collection} filter={rule.validation} />
                ),
              },
            ]}
          />
        </Paper>
      ))}
    </Box>
  );
}

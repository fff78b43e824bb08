/** What becomes of the rows: new or changed items, and what a faulty one does. */
import Box from '@mui/material/Box';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Field } from '../data/schema-types.ts';
import { Choice } from '../shell/choice.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { GRID } from './dialect-form.tsx';
import { MODES, ON_ERRORS, type Plan } from './plan.ts';
import { UndoOption } from './undo-option.tsx';

export interface RowsFormProps {
  readonly collection: string;
  readonly plan: Plan;
  readonly fields: readonly Field[];
  readonly onChange: (changes: Partial<Plan>) => void;
}

export function RowsForm({ collection, plan, fields, onChange }: RowsFormProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const rights = useRights();
  const needs = { upsert: null, insert: 'create', update: 'update' } as const;
  const offered = MODES.filter((mode) => {
    const action = needs[mode];
    return action === null || may(rights, collection, action);
  });
  const unique = fields.filter(({ schema }) => schema?.is_unique && !schema.is_primary_key);
  return (
    <Box sx={{ ...GRID, gridTemplateColumns: 'repeat(auto-fill, minmax(260px, 1fr))' }}>
      {!plan.create && (
        <Choice
          label={translate('imports.mode')}
          value={plan.mode}
          options={offered.map((mode) => [mode, translate(`imports.modes.${mode}`)])}
          help={translate(`imports.modeHelp.${plan.mode}`)}
          onChange={(mode) => onChange({ mode })}
        />
      )}
      {plan.mode !== 'insert' && unique.length > 0 && (
        <Choice
          label={translate('imports.match')}
          value={plan.match}
          options={[
            ['', translate('imports.primaryKey')],
            ...unique.map((field) => [field.field, fieldName(field, locale)] as const),
          ]}
          help={translate('imports.matchHelp')}
          onChange={(match) => onChange({ match })}
        />
      )}
      <Choice
        label={translate('imports.onError')}
        value={plan.onError}
        options={ON_ERRORS.map((name) => [name, translate(`imports.onErrors.${name}`)])}
        help={translate(`imports.onErrorHelp.${plan.onError}`)}
        onChange={(onError) => onChange({ onError })}
      />
      <UndoOption checked={plan.undo === true} onChange={(undo) => onChange({ undo })} />
    </Box>
  );
}

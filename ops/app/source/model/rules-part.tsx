/** The rules of a field: what its values must be, and when it is hidden, needed or only read. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { isItem } from '../data/values.ts';
import { DraftFieldsContext } from '../filter/draft-fields.ts';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ConditionsEditor } from './conditions-editor.tsx';
import { Control } from './control.tsx';
import type { PartOfField } from './field-form.tsx';
import { plainField } from './plain-field.ts';
import { RuleEditor } from './rule-editor.tsx';

export function RulesPart({ collection, draft, stored, onChange }: PartOfField) {
  const translate = useTranslate();
  const { meta, type } = draft;
  const set = (name: string, value: unknown) =>
    onChange({ ...draft, meta: { ...meta, [name]: value } });
  const { field } = draft;
  const isNew = stored === null;
  const drafts = useMemo(
    () =>
      isNew && field !== '' ? [{ ...plainField({ name: field, type }, null), collection }] : [],
    [collection, field, isNew, type],
  );
  if (isNew && field === '') {
    return (
      <Part title={translate('model.rules')}>
        <Typography color="textSecondary">{translate('model.rulesLater')}</Typography>
      </Part>
    );
  }
  return (
    <DraftFieldsContext value={drafts}>
      {type !== 'alias' && (
        <Part
          title={translate('model.member.validation')}
          help={translate('model.help.validation')}
        >
          <RuleEditor
            key={field}
            collection={collection}
            rule={isItem(meta.validation) ? meta.validation : null}
            onChange={(rule) => set('validation', rule)}
          />
          <Control
            spec={{ name: 'validation_message', kind: 'text' }}
            value={meta.validation_message}
            onChange={(value) => set('validation_message', value)}
          />
        </Part>
      )}
      <Part title={translate('model.member.conditions')} help={translate('model.help.conditions')}>
        <Box>
          <ConditionsEditor
            key={field}
            collection={collection}
            value={meta.conditions}
            onChange={(value) => set('conditions', value)}
          />
        </Box>
      </Part>
    </DraftFieldsContext>
  );
}

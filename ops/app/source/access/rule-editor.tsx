/** One rule: which items, which fields, what is preset, and what has to hold of what is sent. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import { type ReactNode, useContext, useId } from 'react';
import { useFields } from '../data/queries.ts';
import { FilterEditor } from '../filter/filter-editor.tsx';
import { MarksIncompleteContext, PurposeContext } from '../filter/purpose.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { Action } from './access-types.ts';
import { FieldChoice } from './field-choice.tsx';
import { PresetEditor } from './preset-editor.tsx';
import type { RuleDraft } from './rule-draft.ts';

interface PartProps {
  readonly title: string;
  readonly help: string;
  readonly children: (labelledBy: string) => ReactNode;
}

/** A part of a rule, under a heading. */
function Part({ title, help, children }: PartProps) {
  const id = useId();
  return (
    <Box component="section" aria-labelledby={id} sx={{ display: 'grid', gap: 1 }}>
      <div>
        <Typography variant="h3" id={id}>
          {title}
        </Typography>
        <Typography variant="body2" color="text.secondary">
          {help}
        </Typography>
      </div>
      {children(id)}
    </Box>
  );
}

interface EitherProps {
  readonly labelledBy: string;
  readonly value: boolean;
  readonly yes: string;
  readonly no: string;
  readonly onChange: (value: boolean) => void;
}

function Either({ labelledBy, value, yes, no, onChange }: EitherProps) {
  const choice = (of: string, text: string) => (
    <FormControlLabel value={of} control={<Radio size="small" />} label={text} />
  );
  return (
    <RadioGroup
      row
      aria-labelledby={labelledBy}
      value={value ? 'yes' : 'no'}
      onChange={(_, next) => onChange(next === 'yes')}
    >
      {choice('yes', yes)}
      {choice('no', no)}
    </RadioGroup>
  );
}

export interface RuleEditorProps {
  readonly collection: string;
  readonly action: Action;
  readonly draft: RuleDraft;
  readonly onChange: (draft: RuleDraft) => void;
}

export function RuleEditor({ collection, action, draft, onChange }: RuleEditorProps) {
  const translate = useTranslate();
  const fields = useFields(collection);
  const marks = useContext(MarksIncompleteContext);
  const writes = action === 'create' || action === 'update';
  const change = (part: Partial<RuleDraft>) => onChange({ ...draft, ...part });
  const allFields = draft.fields.includes('*');
  return (
    <>
      {action !== 'create' && (
        <Part title={translate('access.items')} help={translate(`access.itemsHelp.${action}`)}>
          {(id) => (
            <>
              <Either
                labelledBy={id}
                value={draft.allItems}
                yes={translate('access.allItems')}
                no={translate('access.someItems')}
                onChange={(allItems) => change({ allItems })}
              />
              {!draft.allItems && (
                <PurposeContext value="rule">
                  {draft.filter.members.length === 0 && (
                    <Alert severity={marks ? 'error' : 'warning'}>
                      {translate('access.noCondition')}
                    </Alert>
                  )}
                  <FilterEditor
                    collection={collection}
                    filter={draft.filter}
                    onChange={(filter) => change({ filter })}
                  />
                </PurposeContext>
              )}
            </>
          )}
        </Part>
      )}
      {action !== 'delete' && (
        <Part title={translate('access.fields')} help={translate(`access.fieldsHelp.${action}`)}>
          {(id) => (
            <>
              <Either
                labelledBy={id}
                value={allFields}
                yes={translate('access.allFields')}
                no={translate('access.someFields')}
                onChange={(all) =>
                  change({ fields: all ? ['*'] : fields.map(({ field }) => field) })
                }
              />
              {!allFields && (
                <FieldChoice
                  fields={fields}
                  chosen={draft.fields}
                  onChange={(chosen) => change({ fields: chosen })}
                />
              )}
            </>
          )}
        </Part>
      )}
      {writes && (
        <Part title={translate('access.presets')} help={translate('access.presetsHelp')}>
          {() => (
            <PresetEditor
              fields={fields}
              presets={draft.presets}
              onChange={(presets) => change({ presets })}
            />
          )}
        </Part>
      )}
      {writes && (
        <Part
          title={translate('access.validation')}
          help={translate(`access.validationHelp.${action}`)}
        >
          {() => (
            <PurposeContext value="validation">
              <FilterEditor
                collection={collection}
                filter={draft.validation}
                onChange={(validation) => change({ validation })}
              />
            </PurposeContext>
          )}
        </Part>
      )}
    </>
  );
}

/** The form of a field: its column, how it stands in forms, its rules. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import type { FormEvent, ReactNode } from 'react';
import type { Field } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { FORM, Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { ColumnPart } from './column-part.tsx';
import { type ControlChoice, TWO_COLUMNS } from './control.tsx';
import { DisplayPart } from './display-part.tsx';
import { EditorGallery } from './editor-gallery.tsx';
import type { Editor } from './editors.ts';
import type { FieldDraft } from './field-draft.ts';
import { newDraft, renamed } from './field-draft.ts';
import { aliasFlags, TYPES, typeKey } from './field-types.ts';
import { InterfacePart } from './interface-part.tsx';
import { nameTyped } from './name.ts';
import { RulesPart } from './rules-part.tsx';
import { TypeChoice } from './type-choice.tsx';
import type { Work } from './use-change.ts';

export interface FieldFormProps {
  readonly id: string;
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly stored: Field | null;
  readonly draft: FieldDraft;
  /** Key of what is wrong with the name. */
  readonly nameFault: string | null;
  readonly work: Work;
  readonly onChange: (draft: FieldDraft) => void;
  readonly onSubmit: (event: FormEvent) => void;
  /** What its relation is; null for a plain field. */
  readonly relation: ReactNode;
}

export interface PartOfField {
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly stored: Field | null;
  readonly draft: FieldDraft;
  readonly onChange: (draft: FieldDraft) => void;
}

/** The types that a field can get: of a stored one those with a column, or its own without one. */
function typeChoices(
  stored: Field | null,
  translate: (key: string) => string,
): readonly ControlChoice[] {
  const names = Object.keys(TYPES).filter((type) => stored === null || type !== 'alias');
  const known = names.map((type) => ({
    value: type,
    text: translate(typeKey(type)),
    group: translate(`model.typeGroup.${TYPES[type]?.group}`),
  }));
  if (stored === null || names.includes(stored.type)) return known;
  return [{ value: stored.type, text: translate(typeKey(stored.type)) }, ...known];
}

export function FieldForm(props: FieldFormProps) {
  const { id, stored, draft, nameFault, work, onChange, onSubmit } = props;
  const translate = useTranslate();
  const retype = (type: string) => {
    if (stored !== null && stored.type === type) return onChange({ ...draft, type });
    const fresh = newDraft(type, draft.field);
    const kept = isItem(draft.meta) ? draft.meta : {};
    const { interface: shown, special } = fresh.meta;
    const schema = { ...fresh.schema, ...(type !== 'alias' && draft.schema), default_value: null };
    const meta = { ...kept, interface: shown, options: null };
    if (stored === null)
      onChange({ ...fresh, schema, meta: { ...meta, special: special ?? null } });
    // The server keeps the flags that still fit.
    else onChange({ ...draft, type, schema: { ...draft.schema, default_value: null }, meta });
  };
  const choose = ({ type, shown }: Editor) => {
    const { meta, ...fresh } = newDraft(type, draft.field);
    const special = type === 'alias' ? aliasFlags(shown) : (meta.special ?? null);
    onChange({ ...fresh, meta: { ...draft.meta, special, interface: shown, options: null } });
  };
  const isSystem = stored?.meta?.system === true;
  return (
    <Box component="form" id={id} noValidate onSubmit={onSubmit} sx={FORM}>
      <ChangeState work={work} />
      {stored === null && (
        <EditorGallery
          collection={props.collection}
          type={draft.type}
          shown={draft.meta.interface}
          onChoose={choose}
        />
      )}
      {!isSystem && (
        <Part title={translate('model.field')}>
          <Box sx={TWO_COLUMNS}>
            <TextField
              id={`${id}-name`}
              label={translate('model.member.field')}
              value={draft.field}
              required={stored === null}
              autoFocus={stored === null}
              onChange={({ target }) => onChange(renamed(draft, nameTyped(target.value)))}
              error={nameFault !== null}
              helperText={translate(
                nameFault ?? (stored === null ? 'model.help.fieldName' : 'model.help.fixedName'),
              )}
              slotProps={{
                input: { readOnly: stored !== null },
                htmlInput: { spellCheck: false, autoCapitalize: 'off' },
              }}
              sx={stored === null ? {} : { '& .MuiInputBase-root': { bgcolor: 'action.hover' } }}
            />
            <TypeChoice
              value={draft.type}
              choices={typeChoices(stored, translate)}
              disabled={stored !== null && stored.schema === null}
              onChange={retype}
            />
          </Box>
        </Part>
      )}
      {props.relation}
      {draft.type !== 'alias' && <ColumnPart {...props} />}
      {!isSystem && (
        <>
          <InterfacePart {...props} />
          <DisplayPart {...props} />
          <RulesPart {...props} />
        </>
      )}
    </Box>
  );
}

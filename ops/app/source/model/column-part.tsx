/** The column of a field: whether it may be empty, what it holds by itself, its index. */

import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Control, type ControlSpec, Controls } from './control.tsx';
import { DefaultValue } from './default-value.tsx';
import { measures } from './field-draft.ts';
import type { PartOfField } from './field-form.tsx';
import { IndexState } from './index-state.tsx';

function columnSpecs({ draft, stored }: PartOfField): readonly ControlSpec[] {
  const { type } = draft;
  const isKey = stored?.schema?.is_primary_key === true;
  const isSystem = stored?.meta?.system === true;
  const index = {
    ...({ name: 'is_indexed', kind: 'switch', help: 'model.help.is_indexed' } as const),
    disabled: isKey,
  };
  if (isSystem) return [index];
  const numbers = ['max_length', 'numeric_precision', 'numeric_scale'].filter((name) =>
    measures(type, name),
  );
  return [
    ...numbers.map((name) => ({ name, kind: 'number', help: `model.help.${name}` }) as const),
    {
      ...({ name: 'is_nullable', kind: 'switch', help: 'model.help.is_nullable' } as const),
      disabled: isKey,
    },
    {
      ...({ name: 'is_unique', kind: 'switch', help: 'model.help.is_unique' } as const),
      disabled: isKey,
    },
    index,
  ];
}

export function ColumnPart(props: PartOfField) {
  const { draft, stored, onChange } = props;
  const translate = useTranslate();
  const set = (name: string, value: unknown) =>
    onChange({ ...draft, schema: { ...draft.schema, [name]: value } });
  const isSystem = stored?.meta?.system === true;
  const builds = (['is_indexed', 'is_unique'] as const).some(
    (name) => draft.schema[name] === true && (stored === null || stored.schema?.[name] !== true),
  );
  const counts = stored?.schema?.has_auto_increment === true;
  return (
    <Part title={translate('model.column')} help={translate('model.columnHelp')}>
      {!isSystem && !counts && !stored?.schema?.is_generated && (
        <DefaultValue
          key={draft.type}
          draft={draft}
          onChange={(value) => set('default_value', value)}
        />
      )}
      <IndexState field={stored} />
      <Controls specs={columnSpecs(props)} values={draft.schema} onChange={set} />
      {builds && (
        <Control
          spec={{ name: 'concurrently', kind: 'switch', help: 'model.help.concurrently' }}
          value={draft.concurrently}
          onChange={(on) => onChange({ ...draft, concurrently: on === true })}
        />
      )}
    </Part>
  );
}

/** How a field stands in forms: its interface with the options, its width, its names. */

import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { Part } from '../shell/part.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type ControlChoice, type ControlSpec, Controls } from './control.tsx';
import { flagsOf } from './field-draft.ts';
import type { PartOfField } from './field-form.tsx';
import { aliasFlags, TYPES } from './field-types.ts';
import { filledBy, withFlag } from './flags.ts';
import { hasChoices, optionSpecs } from './interface-options.ts';
import { RowsEditor } from './rows-editor.tsx';

const WIDTHS = ['half', 'half-left', 'half-right', 'half-space', 'full', 'fill'];

type Translate = (key: string, options?: { readonly _?: string }) => string;

/** The interfaces for the type; one that is chosen stays, whether or not it is known here. */
function interfaceChoices(type: string, chosen: unknown, translate: Translate) {
  const known = TYPES[type]?.interfaces ?? [];
  const all = typeof chosen === 'string' && !known.includes(chosen) ? [chosen, ...known] : known;
  const choices = all.map((value) => ({
    value,
    text: translate(`model.interface.${value}`, { _: value }),
  }));
  return typeof chosen === 'string'
    ? choices
    : [{ value: '', text: translate('model.usual') }, ...choices];
}

function specsOf(
  { draft, fields }: PartOfField,
  translate: Translate,
  locale: string,
): readonly ControlSpec[] {
  const groups = fields.filter(
    (field) =>
      field.type === 'alias' &&
      field.field !== draft.field &&
      field.meta?.interface?.startsWith('group-'),
  );
  const groupChoices: readonly ControlChoice[] = [
    { value: '', text: translate('model.noGroup') },
    ...groups.map((field) => ({ value: field.field, text: fieldName(field, locale) })),
  ];
  const isAlias = draft.type === 'alias';
  return [
    {
      name: 'interface',
      kind: 'choice',
      choices: interfaceChoices(draft.type, draft.meta.interface, translate),
    },
    {
      name: 'width',
      kind: 'choice',
      choices: WIDTHS.map((value) => ({ value, text: translate(`model.width.${value}`) })),
    },
    { name: 'group', kind: 'choice', choices: groupChoices },
    { name: 'note', kind: 'text', help: 'model.help.note' },
    ...(isAlias
      ? []
      : ([
          { name: 'required', kind: 'switch', help: 'model.help.required' },
          { name: 'readonly', kind: 'switch', help: 'model.help.readonly' },
        ] as const)),
    { name: 'hidden', kind: 'switch', help: 'model.help.fieldHidden' },
  ];
}

export function InterfacePart(props: PartOfField) {
  const { draft, stored, onChange } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { meta, type } = draft;
  const chosen = typeof meta.interface === 'string' ? meta.interface : '';
  const options: Item = isItem(meta.options) ? meta.options : {};
  const set = (name: string, value: unknown) => {
    const changed: Item = { ...meta, [name]: value };
    const isOther = name === 'interface' && type === 'alias' && stored === null;
    const special = isOther ? { special: aliasFlags(String(value)) } : {};
    onChange({ ...draft, meta: { ...changed, ...special } });
  };
  const setOption = (name: string, value: unknown) => {
    const next = Object.fromEntries(
      Object.entries({ ...options, [name]: value }).filter(([, one]) => one !== null),
    );
    set('options', Object.keys(next).length === 0 ? null : next);
  };
  const specs = optionSpecs(chosen, translate);
  const filled = filledBy(type);
  const flags = flagsOf(meta);
  const flagSpecs: readonly ControlSpec[] = filled.map((group) => ({
    name: group.name,
    kind: 'choice',
    label: `model.flag.${group.name}`,
    choices: [
      { value: '', text: translate(`model.flag.${group.name}None`) },
      ...group.flags.map((flag) => ({ value: flag, text: translate(`model.flag.${flag}`) })),
    ],
  }));
  const flagValues = Object.fromEntries(
    filled.map((group) => [group.name, group.flags.find((flag) => flags.includes(flag)) ?? '']),
  );
  return (
    <Part title={translate('model.inForms')}>
      <Controls
        specs={specsOf(props, translate, locale)}
        values={{ ...meta, width: meta.width ?? 'full' }}
        onChange={set}
      />
      {flagSpecs.length > 0 && (
        <Controls
          specs={flagSpecs}
          values={flagValues}
          onChange={(name, value) =>
            set('special', withFlag(flags, filled, name, typeof value === 'string' ? value : null))
          }
        />
      )}
      {specs.length > 0 && (
        <Controls key={chosen} specs={specs} values={options} onChange={setOption} />
      )}
      {hasChoices(chosen) && (
        <RowsEditor
          key={`${chosen} choices`}
          title={translate('model.option.choices')}
          columns={['text', 'value'].map((name) => ({ name, label: `model.choice.${name}` }))}
          value={options.choices}
          onChange={(rows) => setOption('choices', rows)}
          add={translate('model.addChoice')}
        />
      )}
      {chosen === 'presentation-links' && (
        <RowsEditor
          title={translate('model.option.links')}
          columns={['label', 'url'].map((name) => ({ name, label: `model.link.${name}` }))}
          value={options.links}
          onChange={(rows) => setOption('links', rows)}
          add={translate('model.addLink')}
        />
      )}
      <RowsEditor
        title={translate('model.member.translations')}
        columns={['language', 'translation'].map((name) => ({
          name,
          label: `model.translation.${name}`,
        }))}
        value={meta.translations}
        onChange={(rows) => set('translations', rows)}
        add={translate('model.addTranslation')}
      />
    </Part>
  );
}

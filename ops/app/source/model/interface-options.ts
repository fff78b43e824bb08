/** The options that interfaces read, as controls. */
import type { ControlSpec } from './control.tsx';

const TEXT: readonly ControlSpec[] = [
  { name: 'placeholder', kind: 'text' },
  { name: 'iconLeft', kind: 'field', interface: 'select-icon' },
  { name: 'softLength', kind: 'number', help: 'model.help.softLength' },
  { name: 'trim', kind: 'switch', help: 'model.help.trim' },
];

const OF_INTERFACE: Readonly<Record<string, readonly ControlSpec[]>> = {
  input: [...TEXT, { name: 'masked', kind: 'switch', help: 'model.help.masked' }],
  'input-multiline': TEXT.filter(({ name }) => name !== 'iconLeft'),
  'input-code': [{ name: 'template', kind: 'text', label: 'model.option.placeholder' }],
  'input-hash': [{ name: 'placeholder', kind: 'text' }],
  'input-autocomplete': [{ name: 'placeholder', kind: 'text' }],
  boolean: [{ name: 'label', kind: 'text', help: 'model.help.switchLabel' }],
  datetime: [{ name: 'includeSeconds', kind: 'switch' }],
  tags: [
    { name: 'presets', kind: 'field', type: 'json', interface: 'tags', help: 'model.help.presets' },
    { name: 'allowCustom', kind: 'switch', help: 'model.help.allowCustom' },
  ],
  'select-dropdown': [
    { name: 'allowOther', kind: 'switch', help: 'model.help.allowOther' },
    { name: 'allowNone', kind: 'switch', help: 'model.help.allowNone' },
  ],
  slider: [
    { name: 'minValue', kind: 'number' },
    { name: 'maxValue', kind: 'number' },
    { name: 'stepInterval', kind: 'number' },
  ],
  'select-color': [
    { name: 'presets', kind: 'field', type: 'json', interface: 'tags', help: 'model.help.presets' },
  ],
  'presentation-divider': [
    { name: 'title', kind: 'text' },
    { name: 'icon', kind: 'field', interface: 'select-icon' },
  ],
  'presentation-notice': [{ name: 'text', kind: 'multiline', wide: true }],
  'group-detail': [{ name: 'headerIcon', kind: 'field', interface: 'select-icon' }],
  'list-o2m': [{ name: 'template', kind: 'text', help: 'model.help.display_template' }],
  'list-m2m': [{ name: 'template', kind: 'text', help: 'model.help.display_template' }],
  'select-dropdown-m2o': [{ name: 'template', kind: 'text', help: 'model.help.display_template' }],
};

/** Options that are chosen from a few values. */
const CHOICES: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  input: [['font', ['monospace']]],
  'presentation-notice': [['color', ['info', 'success', 'warning', 'danger']]],
  'group-detail': [['start', ['open', 'closed']]],
};

export function optionSpecs(
  name: string,
  translate: (key: string) => string,
): readonly ControlSpec[] {
  const own = (OF_INTERFACE[name] ?? []).map((spec) => ({
    ...spec,
    label: spec.label ?? `model.option.${spec.name}`,
  }));
  const chosen = (CHOICES[name] ?? []).map(
    ([option, values]): ControlSpec => ({
      name: option,
      kind: 'choice',
      label: `model.option.${option}`,
      choices: [
        { value: '', text: translate('model.usual') },
        ...values.map((value) => ({ value, text: translate(`model.option_${option}.${value}`) })),
      ],
    }),
  );
  return [...own, ...chosen];
}

const WITH_CHOICES = new Set([
  ...['select-dropdown', 'select-radio'],
  ...['select-multiple-checkbox', 'select-multiple-dropdown'],
]);

/** Whether an interface offers values that are listed in its options. */
export function hasChoices(name: string): boolean {
  return WITH_CHOICES.has(name);
}

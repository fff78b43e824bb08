/** How values of a field look in lists, and whether the search looks into them. */

import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type ControlSpec, Controls } from './control.tsx';
import type { PartOfField } from './field-form.tsx';

const DISPLAYS = [
  ...['raw', 'formatted-value', 'labels', 'boolean', 'color', 'datetime'],
  ...['icon', 'image', 'file', 'user', 'related-values'],
];

export function DisplayPart({ draft, onChange }: PartOfField) {
  const translate = useTranslate();
  if (draft.type === 'alias') return null;
  const { display } = draft.meta;
  const names =
    typeof display === 'string' && display !== '' && !DISPLAYS.includes(display)
      ? [display, ...DISPLAYS]
      : DISPLAYS;
  const specs: readonly ControlSpec[] = [
    {
      name: 'display',
      kind: 'choice',
      choices: [
        { value: '', text: translate('model.usual') },
        ...names.map((value) => ({
          value,
          text: translate(`model.display.${value}`, { _: value }),
        })),
      ],
    },
    { name: 'searchable', kind: 'switch', help: 'model.help.searchable' },
  ];
  return (
    <Part title={translate('model.inLists')}>
      <Controls
        specs={specs}
        values={{ searchable: true, ...draft.meta }}
        onChange={(name, value) => onChange({ ...draft, meta: { ...draft.meta, [name]: value } })}
      />
    </Part>
  );
}

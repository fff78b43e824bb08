/** Values that fields get when they are not sent, each typed in the field's own control. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useQuery } from '@tanstack/react-query';
import { relationsQuery } from '../data/queries.ts';
import { relationOf } from '../data/relation-of.ts';
import type { Field, Item, Relation } from '../data/schema-types.ts';
import { ItemPicker } from '../display/item-picker.tsx';
import { isVariable, variableName, variablesFor } from '../filter/variables.ts';
import { FieldInterface } from '../interface/field-interface.tsx';
import { AddMenu } from '../shell/add-menu.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

const NO_RELATIONS: readonly Relation[] = [];
/** Variables that stand for lists, which no field takes. */
const LISTS = new Set(['$CURRENT_ROLES', '$CURRENT_POLICIES']);

interface PresetProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Preset({ field, value, onChange }: PresetProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const relation = relationOf(useQuery(relationsQuery).data ?? NO_RELATIONS, field);
  const related = relation?.kind === 'm2o' ? relation.related : null;
  const label = fieldName(field, locale);
  const fitting = variablesFor({ type: field.type, related }).filter((name) => !LISTS.has(name));
  const chosen = isVariable(value) ? value : '';
  const offered = chosen === '' || fitting.includes(chosen) ? fitting : [...fitting, chosen];
  return (
    <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {offered.length > 0 && (
        <NativeSelect
          label={translate('access.presetKind', { field: label })}
          value={chosen}
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
          sx={{ flex: '1 1 180px' }}
        >
          <option value="">{translate('filter.aValue')}</option>
          {offered.map((name) => (
            <option key={name} value={name}>
              {variableName(name, translate)}
            </option>
          ))}
        </NativeSelect>
      )}
      {chosen === '' && (
        <Box sx={{ flex: '1 1 240px', minWidth: 0 }}>
          {related === null ? (
            <FieldInterface
              field={field}
              label={label}
              value={value}
              onChange={(next) => onChange(next ?? null)}
              readOnly={false}
              required={false}
              error={null}
            />
          ) : (
            <ItemPicker collection={related} value={value} onChange={onChange} label={label} />
          )}
        </Box>
      )}
    </Box>
  );
}

export interface PresetEditorProps {
  readonly fields: readonly Field[];
  readonly presets: Item;
  readonly onChange: (presets: Item) => void;
}

export function PresetEditor({ fields, presets, onChange }: PresetEditorProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const names = Object.keys(presets);
  const free = fields.filter(
    ({ field, type, schema }) =>
      type !== 'alias' && schema?.is_generated !== true && !names.includes(field),
  );
  const without = (name: string) =>
    Object.fromEntries(Object.entries(presets).filter(([other]) => other !== name));
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      {names.map((name) => {
        const field = fields.find((known) => known.field === name);
        return (
          <Box key={name} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
            {field === undefined ? (
              <Box component="code" sx={{ flex: 1, overflowWrap: 'anywhere', py: 1 }}>
                {name}: {JSON.stringify(presets[name])}
              </Box>
            ) : (
              <Preset
                field={field}
                value={presets[name]}
                onChange={(value) => onChange({ ...presets, [name]: value })}
              />
            )}
            <Tooltip title={translate('access.removePreset')}>
              <IconButton
                size="small"
                sx={{ mt: 0.5 }}
                aria-label={translate('access.removePresetOf', { field: name })}
                onClick={() => onChange(without(name))}
              >
                <Icon name="close" fontSize="small" />
              </IconButton>
            </Tooltip>
          </Box>
        );
      })}
      <AddMenu
        text="access.addPreset"
        icon="add"
        asks
        targets={free.map((field) => ({ name: field.field, label: fieldName(field, locale) }))}
        onChoose={(name) => onChange({ ...presets, [name]: null })}
      />
    </Box>
  );
}

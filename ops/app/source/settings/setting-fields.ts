/** The settings of the project as a form: what each is for, its control, and what belongs together. */
import type { Field, FieldMeta, Filter } from '../data/schema-types.ts';

interface Setting {
  readonly field: string;
  /** Half of the width when it does not say. */
  readonly full?: boolean;
  readonly interface?: string;
  /** Values that it has, each with a text. */
  readonly choices?: readonly string[];
  /** When it is shown; always when it does not say. */
  readonly when?: Filter;
}

interface SettingGroup {
  readonly name: string;
  readonly icon: string;
  readonly settings: readonly Setting[];
}

/** Letters of both cases, a digit and a sign. */
const STRONG = '/(?=^.{8,}$)(?=.*\\d)(?=.*[^\\p{L}\\d])(?=.*\\p{Lu})(?=.*\\p{Ll}).*$/u';
const OPEN: Filter = { public_registration: { _eq: true } };

const GROUPS: readonly SettingGroup[] = [
  {
    name: 'project',
    icon: 'home',
    settings: [
      { field: 'project_name' },
      { field: 'project_descriptor' },
      { field: 'project_color', interface: 'select-color' },
      { field: 'default_appearance', choices: ['auto', 'light', 'dark'] },
      { field: 'default_language', choices: ['en-US', 'de-DE'] },
      { field: 'project_logo', full: true },
      { field: 'public_favicon', full: true },
    ],
  },
  {
    name: 'signIn',
    icon: 'account_circle',
    settings: [
      { field: 'public_note', full: true, interface: 'input-multiline' },
      { field: 'public_background', full: true },
    ],
  },
  {
    name: 'security',
    icon: 'shield',
    settings: [
      { field: 'auth_password_policy', choices: ['/^.{8,}$/', '/^.{12,}$/', STRONG] },
      { field: 'auth_login_attempts' },
      { field: 'public_registration', interface: 'boolean' },
      { field: 'public_registration_verify_email', interface: 'boolean', when: OPEN },
      { field: 'public_registration_role', when: OPEN },
    ],
  },
  {
    name: 'files',
    icon: 'folder',
    settings: [
      { field: 'storage_asset_transform', choices: ['all', 'presets', 'none'] },
      { field: 'storage_default_folder' },
      {
        field: 'storage_asset_presets',
        full: true,
        when: { storage_asset_transform: { _eq: 'presets' } },
      },
    ],
  },
];

const BARE: FieldMeta = {
  ...{ id: 0, special: null, interface: null, options: null, display: null },
  ...{ display_options: null, readonly: false, hidden: false, required: null, searchable: false },
  ...{ sort: null, width: null, group: null, translations: null, note: null, conditions: null },
  ...{ validation: null, validation_message: null },
};

/** A text of this form; null where there is none. */
export type Text = (key: string) => string | null;

/** The translation key of a choice. Rules of passwords are patterns, so their key is their index. */
const choiceText = (field: string, choice: string, place: number) =>
  field === 'auth_password_policy' ? `choice.${field}.${place}` : `choice.${field}.${choice}`;

function settingField(
  { field: name, full = false, interface: control, choices, when }: Setting,
  field: Field,
  { group, language, text }: { group: string; language: string; text: Text },
): Field {
  const meta: FieldMeta = {
    ...BARE,
    ...field.meta,
    width: full ? 'full' : 'half',
    group,
    interface: control ?? (choices === undefined ? null : 'select-dropdown'),
    options:
      choices === undefined
        ? null
        : {
            choices: choices.map((value, place) => ({
              value,
              text: text(choiceText(name, value, place)) ?? value,
            })),
          },
    translations: [{ language, translation: text(`field.${name}`) ?? name }],
    note: text(`note.${name}`),
    // An empty text is no name.
    required: field.schema?.is_nullable === false,
    hidden: when !== undefined,
    conditions: when === undefined ? null : [{ rule: when, hidden: false }],
  };
  return { ...field, meta };
}

/**
 * The fields of the form, in groups, out of those that the server tells.
 * @param language in which `text` speaks
 */
export function settingFields(
  fields: readonly Field[],
  language: string,
  text: Text,
): readonly Field[] {
  // By its key the history is found.
  const key = fields
    .filter(({ schema }) => schema?.is_primary_key === true)
    .map((field) => ({ ...field, meta: { ...BARE, ...field.meta, hidden: true } }));
  const shown = GROUPS.flatMap(({ name, icon, settings }) => {
    const group = `group-${name}`;
    const members = settings.flatMap((setting) => {
      const field = fields.find((one) => one.field === setting.field);
      return field === undefined ? [] : [settingField(setting, field, { group, language, text })];
    });
    if (members.length === 0) return [];
    const head: Field = {
      ...{ collection: 'system_settings', field: group, type: 'alias', schema: null },
      meta: {
        ...BARE,
        special: 'alias,no-data,group',
        interface: 'group-detail',
        options: { headerIcon: icon },
        translations: [{ language, translation: text(`group.${name}`) ?? name }],
      },
    };
    return [head, ...members];
  });
  return [...key, ...shown];
}

/** The fields that describe a file. */
import TextField from '@mui/material/TextField';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FolderSelect } from './folder-select.tsx';
import { FILES, FOLDERS } from './library-query.ts';

export interface FileFieldsProps {
  readonly values: Item;
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: string) => string | null;
  readonly onChange: (part: Item) => void;
}

function tagsText(tags: unknown): string {
  return Array.isArray(tags) ? tags.join(', ') : '';
}

/** The tags in a text; null for none. */
function tagsOf(text: string): readonly string[] | null {
  const tags = text.split(',').flatMap((tag) => tag.trim() || []);
  return tags.length === 0 ? null : tags;
}

interface OneProps {
  readonly of: FileFieldsProps;
  readonly name: 'title' | 'description' | 'location' | 'filename_download' | 'tags';
}

function One({ of, name }: OneProps) {
  const translate = useTranslate();
  const rights = useRights();
  const { values, errorOf, onChange } = of;
  if (!(name in values)) return null;
  const isTags = name === 'tags';
  const error = errorOf(name);
  const value = values[name];
  const put = (text: string) => onChange({ [name]: text === '' ? null : text });
  return (
    <TextField
      // The text of tags is taken over when it is left, as commas and blanks are typed meanwhile.
      key={isTags ? tagsText(value) : undefined}
      label={translate(`files.field_${name}`)}
      {...(isTags
        ? {
            defaultValue: tagsText(value),
            onBlur: ({ target }) => onChange({ tags: tagsOf(target.value) }),
          }
        : { value: value ?? '', onChange: ({ target }) => put(target.value) })}
      multiline={name === 'description'}
      error={error !== null}
      helperText={error ?? (isTags && translate('files.tagsHelp'))}
      slotProps={{
        htmlInput: {
          dir: 'auto',
          readOnly: !mayField(rights, FILES, 'update', name),
          autoComplete: 'off',
        },
      }}
    />
  );
}

export function FileFields(props: FileFieldsProps) {
  const { values, onChange } = props;
  const translate = useTranslate();
  const rights = useRights();
  return (
    <Part title={translate('files.details')}>
      <One of={props} name="title" />
      <One of={props} name="description" />
      <One of={props} name="tags" />
      <One of={props} name="location" />
      <One of={props} name="filename_download" />
      {'folder' in values && may(rights, FOLDERS, 'read') && (
        <FolderSelect
          label={translate('files.folder')}
          value={typeof values.folder === 'string' ? values.folder : null}
          disabled={!mayField(rights, FILES, 'update', 'folder')}
          onChange={(folder) => onChange({ folder })}
        />
      )}
    </Part>
  );
}

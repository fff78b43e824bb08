/** Makes a collection, or a folder: its name, its key, and what the server fills by itself. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useCollections } from '../data/queries.ts';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { NativeSelect } from '../shell/native-select.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { ChangeState } from './change-state.tsx';
import {
  collectionBody,
  KEYS,
  type KeyKind,
  type NewCollection,
  SYSTEM_FIELDS,
  type SystemField,
  userRelations,
} from './collection-body.ts';
import { basicSpecs } from './collection-specs.ts';
import { Controls, TWO_COLUMNS } from './control.tsx';
import { nameFault, nameTyped } from './name.ts';
import { COLLECTIONS, collectionPath } from './route.ts';
import { useChange } from './use-change.ts';

type Chosen = Omit<NewCollection, 'states'>;

const NEW: Stored<Chosen> = {
  item: { name: '', folder: false, keyName: 'id', keyKind: 'integer', fields: [], meta: {} },
  tag: null,
};

function isKeyKind(value: string): value is KeyKind {
  return KEYS.some((kind) => kind === value);
}

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const navigate = useNavigate();
  const form = useId();
  const kindLabel = useId();
  const collections = useCollections();
  const { values, change, reset, isDirty } = useDraft<Stored<Chosen>>(NEW);
  const { name, folder, keyName, keyKind, fields, meta } = values;
  const [fault, setFault] = useState<string | null>(null);
  const place = useRef<HTMLInputElement>(null);
  const work = useChange(async () => {
    reset();
    notify('model.collectionCreated', { type: 'success', messageArgs: { name } });
    await navigate(folder ? COLLECTIONS : collectionPath(name.trim()));
  });
  const states = {
    published: translate('model.status.published'),
    draft: translate('model.status.draft'),
    archived: translate('model.status.archived'),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = nameFault(name, new Set(collections.keys()));
    setFault(wrong);
    if (wrong !== null) return place.current?.focus();
    const wanted: NewCollection = { ...values, states };
    const path = '/collections';
    work.run([
      {
        ...{ method: 'POST', path, body: collectionBody(wanted) },
        undo: { method: 'DELETE', path: pathOf('collections', name.trim()) },
      },
      ...userRelations(wanted).map(
        (body) => ({ method: 'POST', path: '/relations', body }) as const,
      ),
    ]);
  };
  const toggle = (field: SystemField, checked: boolean) => {
    const others = fields.filter((other) => other !== field);
    change({ fields: checked ? [...others, field] : others });
  };
  return (
    <>
      <PageHeader
        title={translate('model.newCollection')}
        back={COLLECTIONS}
        actions={
          <Button type="submit" form={form} variant="contained" loading={work.isPending}>
            {translate('model.create')}
          </Button>
        }
      />
      <UnsavedChanges when={isDirty} />
      <Box component="form" id={form} noValidate onSubmit={submit} sx={FORM}>
        <ChangeState work={work} />
        <Part title={translate('model.general')}>
          <Box sx={TWO_COLUMNS}>
            <TextField
              label={translate('model.member.collection')}
              value={name}
              required
              autoFocus
              inputRef={place}
              onChange={({ target }) => {
                setFault(null);
                change({ name: nameTyped(target.value) });
              }}
              error={fault !== null}
              helperText={translate(fault ?? 'model.help.name')}
              slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: 'off' } }}
            />
            <Box>
              <RadioGroup
                aria-labelledby={kindLabel}
                value={folder ? 'folder' : 'table'}
                onChange={(_, value) => change({ folder: value === 'folder' })}
              >
                <Box id={kindLabel} sx={{ fontSize: 13, fontWeight: 600, color: 'text.secondary' }}>
                  {translate('model.kind')}
                </Box>
                {(['table', 'folder'] as const).map((kind) => (
                  <FormControlLabel
                    key={kind}
                    value={kind}
                    control={<Radio size="small" sx={{ py: 0.5 }} />}
                    label={translate(`model.kind_${kind}`)}
                    slotProps={{ typography: { variant: 'body2' } }}
                  />
                ))}
              </RadioGroup>
            </Box>
          </Box>
          <Controls
            specs={basicSpecs({ collections, collection: name, locale, translate, folder })}
            values={meta}
            onChange={(member, value) => change({ meta: { ...meta, [member]: value } })}
          />
        </Part>
        {!folder && (
          <>
            <Part title={translate('model.key')} help={translate('model.keyHelp')}>
              <Box sx={TWO_COLUMNS}>
                <NativeSelect
                  label={translate('model.keyKind')}
                  value={keyKind}
                  onChange={({ target }) =>
                    isKeyKind(target.value) && change({ keyKind: target.value })
                  }
                  helperText={translate(`model.keyHelp_${keyKind}`)}
                >
                  {KEYS.map((kind) => (
                    <option key={kind} value={kind}>
                      {translate(`model.key_${kind}`)}
                    </option>
                  ))}
                </NativeSelect>
                <TextField
                  label={translate('model.keyName')}
                  value={keyName}
                  required
                  onChange={({ target }) => change({ keyName: nameTyped(target.value) })}
                  slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: 'off' } }}
                />
              </Box>
            </Part>
            <Part title={translate('model.filled')} help={translate('model.filledHelp')}>
              <Box sx={TWO_COLUMNS}>
                {SYSTEM_FIELDS.map((field) => (
                  <Box key={field}>
                    <FormControlLabel
                      control={
                        <Checkbox
                          size="small"
                          checked={fields.includes(field)}
                          onChange={(_, checked) => toggle(field, checked)}
                          slotProps={{ input: { 'aria-describedby': `${form}-${field}` } }}
                        />
                      }
                      label={translate(`model.filled_${field}`)}
                      slotProps={{ typography: { variant: 'body2' } }}
                    />
                    <FormHelperText
                      id={`${form}-${field}`}
                      sx={{ mt: -0.75, mx: 0, paddingInlineStart: '29px' }}
                    >
                      {translate(`model.filledHelp_${field}`)}
                    </FormHelperText>
                  </Box>
                ))}
              </Box>
            </Part>
          </>
        )}
      </Box>
    </>
  );
}

/** What a collection is besides its fields: how it looks, how its items are called, sorted, archived. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { collectionsQuery, fieldsQuery } from '../data/queries.ts';
import type { Collection, Field, Item } from '../data/schema-types.ts';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { ChangeState } from './change-state.tsx';
import { archiveSpecs, basicSpecs, itemSpecs, lookSpecs, nameOf } from './collection-specs.ts';
import { CollectionTabs } from './collection-tabs.tsx';
import { Controls } from './control.tsx';
import { DeleteCollection } from './delete-collection.tsx';
import { readStored } from './field-item.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { COLLECTIONS, settingsPath } from './route.ts';
import { RowsEditor } from './rows-editor.tsx';
import { SchemaConflict } from './schema-conflict.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { useSchemaSave } from './use-schema-save.ts';

interface SettingsProps {
  readonly collection: Collection;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly fields: readonly Field[];
}

const TRANSLATION = ['language', 'translation', 'singular', 'plural'].map((name) => ({
  name,
  label: `model.translation.${name}`,
}));

/** What holds for a table that has no description yet. */
const DEFAULTS: Item = { accountability: 'all', archive_app_filter: true, collapse: 'open' };
/** The order of collections is changed in their list. */
const ELSEWHERE = new Set(['collection', 'sort']);

function settingsOf({ meta }: Collection): Item {
  const all = { ...DEFAULTS, ...meta };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !ELSEWHERE.has(name)));
}

function Settings({ collection, collections, fields }: SettingsProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const form = useId();
  const { collection: name, schema } = collection;
  const folder = schema === null;
  const stored = useMemo(() => ({ item: settingsOf(collection), tag: null }), [collection]);
  const draft = useDraft<Stored>(stored);
  const { base, values } = draft;
  const set = (member: string, value: unknown) => draft.change({ [member]: value });
  const [deleting, setDeleting] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const navigate = useNavigate();
  const path = pathOf('collections', name);
  const save = useSchemaSave({
    draft,
    async readLatest() {
      const { value, tag } = await readStored<Collection>(path);
      return { item: settingsOf(value), tag };
    },
    changesOf: (sending) => [
      { method: 'PATCH', path, body: { meta: sending.changes }, tag: sending.base.tag },
    ],
    onSaved({ changes, base: { item, tag } }) {
      draft.settle(changes, { item: { ...item, ...changes }, tag });
      notify('model.saved', { type: 'success' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.save();
  };
  const context = { collections, collection: name, locale, translate, folder };
  return (
    <>
      <PageHeader
        title={nameOf(collections, name, locale)}
        back={COLLECTIONS}
        actions={
          <>
            <Button startIcon={<Icon name="edit" />} onClick={() => setRenaming(true)}>
              {translate('model.rename')}
            </Button>
            <Button
              color="error"
              startIcon={<Icon name="delete" />}
              onClick={() => setDeleting(true)}
            >
              {translate('shell.delete')}
            </Button>
            <Button
              type="submit"
              form={form}
              variant="contained"
              disabled={!draft.dirty}
              loading={save.work.isPending}
            >
              {translate('shell.save')}
            </Button>
          </>
        }
      />
      {!folder && <CollectionTabs collection={name} />}
      <UnsavedChanges when={draft.isDirty} />
      <Box component="form" id={form} noValidate onSubmit={submit} sx={FORM}>
        <ChangeState work={save.work} />
        <Part title={translate('model.general')}>
          <Controls
            specs={[...basicSpecs(context), ...lookSpecs(context)]}
            values={values}
            onChange={set}
          />
        </Part>
        <Part title={translate('model.names')} help={translate('model.namesHelp')}>
          {!folder && (
            <TemplateEditor
              fields={fields}
              value={values.display_template}
              onChange={(value) => set('display_template', value)}
            />
          )}
          <RowsEditor
            title={translate('model.member.translations')}
            columns={folder ? TRANSLATION.slice(0, 2) : TRANSLATION}
            key={JSON.stringify(base.item.translations)}
            value={values.translations}
            onChange={(value) => set('translations', value)}
            add={translate('model.addTranslation')}
          />
        </Part>
        {!folder && (
          <>
            <Part title={translate('model.order')}>
              <Controls specs={itemSpecs(context, fields)} values={values} onChange={set} />
            </Part>
            <Part title={translate('model.archive')} help={translate('model.archiveHelp')}>
              <Controls specs={archiveSpecs(context, fields)} values={values} onChange={set} />
            </Part>
          </>
        )}
      </Box>
      <SchemaConflict draft={draft} save={save} />
      {renaming && (
        <RenameDialog
          subject={{ collection: name }}
          taken={new Set(collections.keys())}
          follow={async (to) => navigate(settingsPath(to))}
          onClose={() => setRenaming(false)}
        />
      )}
      {deleting && <DeleteCollection collection={collection} onClose={() => setDeleting(false)} />}
    </>
  );
}

export function Component() {
  const { collection: name = '' } = useParams();
  const collections = useQuery(collectionsQuery);
  const fields = useQuery(fieldsQuery(name));
  if (collections.isPending || fields.isLoading) return <Loading />;
  if (collections.isError) {
    return <Failure error={collections.error} retry={() => collections.refetch()} />;
  }
  const collection = collections.data.get(name);
  if (collection === undefined) return <NotFound />;
  return (
    <Settings
      key={name}
      collection={collection}
      collections={collections.data}
      fields={fields.data ?? []}
    />
  );
}

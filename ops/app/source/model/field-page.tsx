/** One field of a collection, which is there or is made here. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useId, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate, useParams } from 'react-router-dom';
import { collectionsQuery, relationsQuery } from '../data/queries.ts';
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field } from '../data/schema-types.ts';
import { changesBetween } from '../draft/changes.ts';
import { useDraft } from '../draft/use-draft.ts';
import { MarksIncompleteContext } from '../filter/purpose.ts';
import { UnfinishedContext } from '../filter/unfinished.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { DeleteField } from './delete-field.tsx';
import { fieldBody } from './field-draft.ts';
import { FieldForm } from './field-form.tsx';
import { fieldChanges, patchesOf, readStoredField, type StoredField } from './field-item.ts';
import { type FieldState, membersOf, stateOf, withMembers } from './field-members.ts';
import { useFieldsWithIndexes } from './index-state.tsx';
import { nameFault } from './name.ts';
import { RelationPart } from './relation-part.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { collectionPath } from './route.ts';
import { SchemaConflict } from './schema-conflict.tsx';
import { useSchemaSave } from './use-schema-save.ts';

interface EditorProps {
  readonly collection: string;
  readonly fields: readonly Field[];
  /** Null for one that is made. */
  readonly field: Field | null;
  readonly relation: RelationKind | null;
}

function Editor({ collection, fields, field, relation }: EditorProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const navigate = useNavigate();
  const form = useId();
  const known = useMemo(() => stateOf(field, relation), [field, relation]);
  const edited = useDraft<StoredField>(
    useMemo(() => ({ item: membersOf(known), tag: null, relationTag: null }), [known]),
  );
  const { base, values, reset, isDirty } = edited;
  const state = withMembers(known, values);
  const { draft, actions } = state;
  const patches = patchesOf(withMembers(known, base.item), state);
  const isSame = patches.field === null && patches.relation === null;
  const change = (part: Partial<FieldState>) =>
    reset(changesBetween(base.item, membersOf({ ...state, ...part })));
  const [fault, setFault] = useState<string | null>(null);
  // Without a condition that is not complete, a rule would say more than was meant.
  const unfinished = useRef(new Set<string>());
  const report = useCallback((id: string, isUnfinished: boolean) => {
    if (isUnfinished) unfinished.current.add(id);
    else unfinished.current.delete(id);
  }, []);
  const [marks, setMarks] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const back = collectionPath(collection);
  const created = () => {
    const { concurrently, meta } = draft;
    // At the end of the form, which is where those without a place are, too.
    const places = fields.map((other) => other.meta?.sort ?? null);
    const sort = places.includes(null) ? null : Math.max(0, ...places.map(Number)) + 1;
    const body = { ...fieldBody(draft), meta: { ...meta, sort } };
    return [{ method: 'POST', path: pathOf('fields', collection), body, concurrently }] as const;
  };
  const leave = async () => {
    reset();
    await navigate(back);
  };
  const save = useSchemaSave({
    draft: edited,
    readLatest: field && (() => readStoredField(field, relation)),
    changesOf: (sending) => (field === null ? created() : fieldChanges(sending, field, relation)),
    async onSaved() {
      const text = field === null ? 'model.fieldCreated' : 'model.fieldSaved';
      notify(text, { type: 'success', messageArgs: { name: draft.field } });
      await leave();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const others = new Set(fields.map((other) => other.field));
    const wrong = field === null ? nameFault(draft.field, others) : null;
    setFault(wrong);
    if (wrong !== null) return document.getElementById(`${form}-name`)?.focus();
    if (unfinished.current.size > 0) {
      flushSync(() => setMarks(true));
      const place = document.getElementById(form)?.querySelector('[data-unfinished]');
      return place?.querySelector<HTMLElement>('select, input, button')?.focus();
    }
    save.save();
  };
  const isSystem = field?.meta?.system === true;
  const isKey = field?.schema?.is_primary_key === true;
  return (
    <>
      <PageHeader
        title={field === null ? translate('model.newField') : fieldName(field, locale)}
        back={back}
        actions={
          <>
            {field !== null && !isSystem && (
              <Button startIcon={<Icon name="edit" />} onClick={() => setRenaming(true)}>
                {translate('model.rename')}
              </Button>
            )}
            {field !== null && !isSystem && !isKey && (
              <Button
                color="error"
                startIcon={<Icon name="delete" />}
                onClick={() => setDeleting(true)}
              >
                {translate('shell.delete')}
              </Button>
            )}
            <Button
              type="submit"
              form={form}
              variant="contained"
              disabled={field !== null && isSame}
              loading={save.work.isPending}
            >
              {translate(field === null ? 'model.create' : 'shell.save')}
            </Button>
          </>
        }
      />
      <UnsavedChanges when={() => isDirty() && !isSame} />
      <UnfinishedContext value={report}>
        <MarksIncompleteContext value={marks}>
          <FieldForm
            key={JSON.stringify(base.item)}
            id={form}
            collection={collection}
            fields={fields}
            stored={field}
            draft={draft}
            nameFault={fault}
            work={save.work}
            onChange={(next) => {
              if (next.field !== draft.field) setFault(null);
              change({ draft: next });
            }}
            onSubmit={submit}
            relation={
              relation !== null && actions !== null ? (
                <RelationPart
                  relation={relation}
                  actions={actions}
                  onChange={(next) => change({ actions: next })}
                />
              ) : null
            }
          />
        </MarksIncompleteContext>
      </UnfinishedContext>
      <SchemaConflict draft={edited} save={save} />
      {renaming && field !== null && (
        <RenameDialog
          subject={{ collection, field: field.field }}
          taken={new Set(fields.map((other) => other.field))}
          follow={leave}
          onClose={() => setRenaming(false)}
        />
      )}
      {deleting && field !== null && (
        <DeleteField
          field={field}
          junction={relation !== null && 'junction' in relation ? relation.junction : null}
          leave={leave}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

export function Component() {
  const { collection = '', field: name } = useParams();
  const collections = useQuery(collectionsQuery);
  const fields = useFieldsWithIndexes(collection);
  const relations = useQuery(relationsQuery);
  if (fields.isError) return <Failure error={fields.error} retry={() => fields.refetch()} />;
  if (fields.isPending || collections.isPending) return <Loading />;
  if (relations.isPending) return <Loading />;
  const field = fields.data.find((known) => known.field === name) ?? null;
  if (name !== undefined && field === null) return <NotFound />;
  return (
    <Editor
      key={`${collection} ${name}`}
      collection={collection}
      fields={fields.data}
      field={field}
      relation={field === null ? null : relationOf(relations.data ?? [], field)}
    />
  );
}

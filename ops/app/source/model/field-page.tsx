/** One field of a collection, which is there or is made here. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useNotify, useTranslate } from 'ra-core';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { collectionsQuery, relationsQuery } from '../data/queries.ts';
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field } from '../data/schema-types.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { pathOf } from './change.ts';
import { DeleteField } from './delete-field.tsx';
import { fieldBody } from './field-draft.ts';
import { FieldForm } from './field-form.tsx';
import { useFieldsWithIndexes } from './index-state.tsx';
import { nameFault } from './name.ts';
import { RelationPart } from './relation-part.tsx';
import { collectionPath } from './route.ts';
import { SchemaConflict } from './schema-conflict.tsx';
import { useChange } from './use-change.ts';
import { useFieldDraft } from './use-field-draft.ts';

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
  const notify = useNotify();
  const navigate = useNavigate();
  const form = useId();
  const edited = useFieldDraft(field, relation);
  const { draft, actions } = edited;
  const [fault, setFault] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const done = useRef(false);
  const back = collectionPath(collection);
  const work = useChange(async () => {
    done.current = true;
    const text = field === null ? 'model.fieldCreated' : 'model.fieldSaved';
    notify(text, { type: 'success', messageArgs: { name: draft.field } });
    await navigate(back);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (field !== null) return work.run(edited.prepare);
    const wrong = nameFault(draft.field, new Set(fields.map((other) => other.field)));
    setFault(wrong);
    if (wrong !== null) return document.getElementById(`${form}-name`)?.focus();
    const body = fieldBody(draft);
    // At the end of the form, which is where those without a place are, too.
    const places = fields.map(({ meta }) => meta?.sort ?? null);
    const sort = places.includes(null) ? null : Math.max(0, ...places.map(Number)) + 1;
    const path = pathOf('fields', collection);
    const meta = { ...draft.meta, sort };
    const { concurrently } = draft;
    work.run([{ method: 'POST', path, body: { ...body, meta }, concurrently }]);
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
              disabled={field !== null && edited.isSame}
              loading={work.isPending}
            >
              {translate(field === null ? 'model.create' : 'shell.save')}
            </Button>
          </>
        }
      />
      <UnsavedChanges when={() => !done.current && edited.changed && !edited.isSame} />
      <FieldForm
        key={edited.generation}
        id={form}
        collection={collection}
        fields={fields}
        stored={field}
        draft={draft}
        nameFault={fault}
        work={work}
        onChange={(next) => edited.change({ draft: next })}
        onSubmit={submit}
        relation={
          relation !== null && actions !== null ? (
            <RelationPart
              relation={relation}
              actions={actions}
              onChange={(next) => edited.change({ actions: next })}
            />
          ) : null
        }
      />
      {edited.conflict !== null && (
        <SchemaConflict
          {...edited.conflict}
          busy={work.isPending}
          onKeep={(names) => {
            const changes = edited.conflict?.rebase(names) ?? null;
            if (changes === null) work.reset();
            else work.run(changes);
          }}
          onClose={edited.endConflict}
        />
      )}
      {deleting && field !== null && (
        <DeleteField
          field={field}
          junction={relation !== null && 'junction' in relation ? relation.junction : null}
          leave={async () => {
            done.current = true;
            await navigate(back);
          }}
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

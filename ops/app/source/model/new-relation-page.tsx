/** Makes a relation: its kind, its ends, and what happens when one end goes. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { collectionsQuery, fieldsQuery } from '../data/queries.ts';
import type { Collection, Field } from '../data/schema-types.ts';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { collectionRows, isSystem } from './collection-rows.ts';
import { Controls, TWO_COLUMNS } from './control.tsx';
import { KindChoice } from './kind-choice.tsx';
import { MadeList } from './made-list.tsx';
import { nameTyped } from './name.ts';
import {
  canRefer,
  type Keys,
  keyColumn,
  languagesChange,
  relationChanges,
} from './relation-changes.ts';
import {
  complete,
  hasJunction,
  KINDS,
  LANGUAGES,
  NEW_RELATION,
  type RelationDraft,
  relationFaults,
} from './relation-draft.ts';
import { behaviourSpecs, endSpecs, junctionSpecs, referable } from './relation-specs.ts';
import { collectionPath } from './route.ts';
import { useChange } from './use-change.ts';

const NO_FIELDS: readonly Field[] = [];
const NAMES = new Set(['field', 'reverse', 'junction', 'near', 'far']);

interface AllowedProps {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly value: readonly string[];
  readonly fault: string | undefined;
  readonly onChange: (allowed: readonly string[]) => void;
}

function Allowed({ collections, value, fault, onChange }: AllowedProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const possible = referable(collections).filter((collection) => !isSystem(collection));
  return (
    <Box role="group" aria-label={translate('model.member.allowed')}>
      <Box sx={{ fontSize: 13, fontWeight: 600, color: 'text.secondary' }}>
        {translate('model.member.allowed')}
      </Box>
      <Box sx={TWO_COLUMNS}>
        {collectionRows(possible, locale).map(
          ({ collection: { collection: name }, name: text }) => (
            <FormControlLabel
              key={name}
              control={
                <Checkbox
                  size="small"
                  checked={value.includes(name)}
                  onChange={(_, checked) =>
                    onChange(checked ? [...value, name] : value.filter((one) => one !== name))
                  }
                />
              }
              label={text}
              slotProps={{ typography: { variant: 'body2' } }}
            />
          ),
        )}
      </Box>
      {fault !== undefined && <FormHelperText error>{translate(fault)}</FormHelperText>}
    </Box>
  );
}

/** What the address has filled in: the other side, and the field here. */
function begun(parameters: URLSearchParams): Stored<RelationDraft> {
  const kind = KINDS.find((known) => known === parameters.get('kind')) ?? NEW_RELATION.kind;
  const related = parameters.get('related') ?? '';
  return { item: { ...NEW_RELATION, kind, related, field: parameters.get('field') }, tag: null };
}

function Editor({
  collection,
  collections,
  fields,
}: {
  readonly collection: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly fields: readonly Field[];
}) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const navigate = useNavigate();
  const form = useId();
  const [parameters] = useSearchParams();
  const [start] = useState(() => begun(parameters));
  const { values: draft, change, reset, isDirty } = useDraft(start);
  const [tried, setTried] = useState(false);
  const relation = complete(collection, draft);
  const { kind, related } = relation;
  const exists = collections.has(related);
  const other = useQuery({ ...fieldsQuery(related), enabled: exists });
  const makesLanguages = kind === 'translations' && related === LANGUAGES && !exists;
  const relatedFields = other.data ?? NO_FIELDS;
  const back = collectionPath(collection);

  const ownKey = keyColumn(fields);
  const relatedKey = makesLanguages
    ? { type: 'string', schema: { max_length: 16 } }
    : keyColumn(relatedFields);
  const adopted = fields.find(
    (known) =>
      kind === 'm2o' &&
      known.field === relation.field &&
      relatedKey !== null &&
      canRefer(known, relatedKey),
  );
  const keys: Keys | null = ownKey && {
    adopted,
    own: ownKey,
    related: relatedKey,
    relatedHasSort: relatedFields.some(({ field }) => field === 'sort'),
  };
  const found = relationFaults(relation, {
    collections: new Set(collections.keys()),
    own: new Set(fields.filter((known) => known !== adopted).map(({ field }) => field)),
    related: new Set(relatedFields.map(({ field }) => field)),
  });
  const ready = keys !== null && (kind === 'm2a' || relatedKey !== null);
  const isSound = ready && Object.keys(found).length === 0;
  const changes = isSound
    ? [...(makesLanguages ? [languagesChange(related)] : []), ...relationChanges(relation, keys)]
    : [];
  const work = useChange(async () => {
    reset();
    notify('model.relationCreated', { type: 'success', messageArgs: { name: relation.field } });
    await navigate(back);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (isSound) work.run(changes);
  };
  const set = (name: string, value: unknown) => {
    const text = typeof value === 'string' ? value : '';
    if (NAMES.has(name)) change({ [name]: nameTyped(text) });
    else if (name === 'image') change({ image: text === 'image' });
    else if (name === 'texts') change({ texts: Array.isArray(value) ? value : [] });
    else change({ [name]: value ?? '' });
  };
  const errors = Object.fromEntries(
    Object.entries(tried ? found : {}).map(([name, key]) => [name, translate(key)]),
  );
  const values = { ...relation, image: relation.image ? 'image' : '' };
  return (
    <>
      <PageHeader
        title={translate('model.newRelation')}
        back={back}
        actions={
          <Button type="submit" form={form} variant="contained" loading={work.isPending}>
            {translate('model.create')}
          </Button>
        }
      />
      <UnsavedChanges when={isDirty} />
      <Box component="form" id={form} noValidate onSubmit={submit} sx={FORM}>
        <ChangeState work={work} />
        <Part title={translate('model.relationKind')}>
          <KindChoice
            value={kind}
            onChange={(next) => change({ ...NEW_RELATION, kind: next, related: draft.related })}
          />
        </Part>
        <Part title={translate('model.ends')} help={translate(`model.endsHelp.${kind}`)}>
          {kind === 'm2a' && (
            <Allowed
              collections={collections}
              value={draft.allowed}
              fault={tried ? found.allowed : undefined}
              onChange={(allowed) => change({ allowed })}
            />
          )}
          <Controls
            key={kind}
            specs={endSpecs(relation, { collections, locale, translate })}
            values={values}
            onChange={set}
            errors={errors}
          />
          {adopted !== undefined && (
            <Alert severity="info">{translate('model.adopts', { name: adopted.field })}</Alert>
          )}
        </Part>
        {hasJunction(kind) && (
          <Part title={translate('model.junction')} help={translate('model.junctionHelp')}>
            <Controls
              specs={junctionSpecs(relation)}
              values={values}
              onChange={set}
              errors={errors}
            />
          </Part>
        )}
        <Part title={translate('model.behaviour')}>
          <Controls
            specs={behaviourSpecs(relation, translate)}
            values={values}
            onChange={set}
            errors={errors}
          />
        </Part>
        {changes.length > 0 && <MadeList changes={changes} />}
      </Box>
    </>
  );
}

export function Component() {
  const { collection = '' } = useParams();
  const collections = useQuery(collectionsQuery);
  const fields = useQuery(fieldsQuery(collection));
  const error = collections.error ?? fields.error;
  if (error) {
    const retry = () => Promise.all([collections.refetch(), fields.refetch()]);
    return <Failure error={error} retry={retry} />;
  }
  if (collections.data === undefined || fields.data === undefined) return <Loading />;
  return (
    <Editor
      key={collection}
      collection={collection}
      collections={collections.data}
      fields={fields.data}
    />
  );
}

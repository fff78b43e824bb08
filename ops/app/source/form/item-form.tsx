/** The form of an item: its fields, saving what has been changed, and what else is done with it. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { type Fault, faultsOf, standingFaults } from '../data/faults.ts';
import { keyFromText, keyOf } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { itemPath, NEW_ITEM } from '../data/route-of.ts';
import type { Collection, Field, Item } from '../data/schema-types.ts';
import { ConflictDialog } from '../draft/conflict-dialog.tsx';
import { isBehind, type Stored, useDraft } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UploadsNotice, UploadsOfForm, useUploadsFirst } from '../shell/running-uploads.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangedNotice } from './changed-notice.tsx';
import { copyOf } from './copy.ts';
import { missingFields } from './field-state.ts';
import { Fields } from './fields.tsx';
import { focusFault } from './focus-fault.ts';
import { handOver, useHandover } from './handover.ts';
import { ItemActions } from './item-actions.tsx';
import { storedQuery } from './item-query.ts';
import { type After, SaveMenu } from './save-menu.tsx';
import { useFieldStates } from './use-field-states.ts';

export interface ItemFormProps {
  readonly title: string;
  readonly kind: 'new' | 'stored' | 'singleton';
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly stored: Stored;
  /** The item is there no more, or no longer to be seen. */
  readonly isGone: boolean;
  /** Null for a new item, and for that of a singleton. */
  readonly itemKey: string | null;
  /** What of the item is read. */
  readonly read: readonly string[];
  /** Where the list is. */
  readonly back?: string;
}

interface Save extends Sending<Stored> {
  readonly after: After;
}

const NOTHING: Item = {};
const NO_FAULTS: readonly Fault[] = [];

/** Where one goes after saving; null: one stays. */
function placeAfter(name: string, after: After, back: string | undefined, key: string | null) {
  if (after === 'new') return itemPath(name, NEW_ITEM);
  if (after === 'list' || key === null) return back ?? null;
  return itemPath(name, key);
}

export function ItemForm(props: ItemFormProps) {
  const { title, kind, collection, fields, stored, isGone, itemKey, read, back } = props;
  const translate = useTranslate();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const name = collection.collection;
  const action = kind === 'new' ? 'create' : 'update';
  const place = useRef<HTMLFormElement>(null);
  const begun = useHandover(itemPath(name, itemKey ?? NEW_ITEM));
  const draft = useDraft(stored, begun);
  const { base, changes, values, change, reset, settle, since, isDirty } = draft;
  const changeField = useCallback(
    (field: string, value: unknown) => change({ [field]: value }),
    [change],
  );
  const states = useFieldStates(name, fields, values, action);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const [isLeaving, setLeaving] = useState(false);

  const latest = storedQuery(name, itemKey, read);
  const items = client.items(name);
  const save = useSave({
    async send({ changes: sent, base: { tag }, after }: Save): Promise<Item | null> {
      const query = { fields: read };
      if (kind === 'new' || after === 'copy') return items.create(sent, query);
      const condition = tag === null ? {} : { ifMatch: tag };
      if (itemKey === null) return items.updateSingleton(sent, query, condition);
      return items.update(keyFromText(itemKey), sent, query, condition);
    },
    readLatest: () => queryClient.fetchQuery({ ...latest, staleTime: 0 }),
    async onSaved(saved, { after, changes: sent }) {
      // What is stored now is read before the draft ends: it has the next tag.
      await queryClient.invalidateQueries({ queryKey: ['items'] });
      setMissing(new Set());
      const isHere = after === 'stay' && kind !== 'new';
      const now = queryClient.getQueryData(latest.queryKey);
      const key = saved === null ? null : keyOf(fields, saved);
      const mayGoOn = kind === 'new' && key !== null && may(rights, name, 'update');
      if (kind === 'new') await uploads.ended();
      // What is typed until the form of the item is there goes on in it: it comes at once.
      if (mayGoOn && after === 'stay')
        await queryClient.prefetchQuery(storedQuery(name, key, read));
      const typed = after === 'copy' ? NOTHING : since(sent);
      const isTyped = Object.keys(typed).length > 0;
      const isGoingOn = mayGoOn && isTyped;
      // Of what was typed meanwhile, who leaves is asked.
      if ((isHere || isTyped) && now !== undefined) settle(sent, now);
      else reset();
      notify(after === 'copy' ? 'form.copied' : 'form.saved', { type: 'success' });
      if (isGoingOn) handOver(queryClient, itemPath(name, key), typed);
      else if (kind === 'new' && isTyped) notify('form.typedTooLate', { type: 'warning' });
      const next = isHere ? null : placeAfter(name, isGoingOn ? 'stay' : after, back, key);
      // The form of a new item is empty by now: nobody may type in it until the next screen is drawn.
      const replace = kind === 'new' && after !== 'copy';
      if (next === null) return;
      setLeaving(true);
      await navigate(next, { replace, flushSync: true });
      setLeaving(false);
    },
    onFailed(error) {
      focusFault(
        place.current,
        faultsOf(error, translate).map(({ path }) => path[0] ?? ''),
      );
    },
  });
  const uploads = useUploadsFirst((after: After) => {
    const lacking = missingFields(states, values);
    setMissing(new Set(lacking));
    if (lacking.length > 0) focusFault(place.current, lacking);
    else if (after === 'copy')
      save.mutate({ changes: copyOf(collection, fields, values), base, after });
    else save.mutate({ changes, base, after });
  });

  const sentChanges = save.variables?.changes;
  const faults = useMemo(() => {
    const told = standingFaults(faultsOf(save.error, translate), sentChanges, changes);
    const lacking = [...missing]
      .filter((field) => (values[field] ?? '') === '')
      .map((field): Fault => ({ path: [field], message: translate('form.required') }));
    return told.length + lacking.length === 0 ? NO_FAULTS : [...told, ...lacking];
  }, [save.error, sentChanges, missing, values, changes, translate]);
  const shownNames = new Set(
    states.filter(({ hidden }) => !hidden).map(({ field }) => field.field),
  );
  const isOther = save.isStopped || save.error === null;
  const told = faultsOf(save.error, translate);
  const elsewhere = !isOther && !told.some(({ path }) => shownNames.has(path[0] ?? ''));

  const form = `form-${name}`;
  const mayWrite = may(rights, name, action);
  const isEmpty = !draft.dirty && kind !== 'new';
  const mayCreate = kind !== 'singleton' && may(rights, name, 'create');
  const offers: readonly After[] = [
    ...(kind !== 'singleton' ? (['list'] as const) : []),
    ...(mayCreate ? (['new'] as const) : []),
    ...(mayCreate && kind === 'stored' ? (['copy'] as const) : []),
  ];
  return (
    <>
      <PageHeader
        title={title}
        {...(back !== undefined && { back })}
        actions={
          <>
            {kind !== 'new' && (
              <ItemActions
                collection={collection}
                fields={fields}
                itemKey={itemKey}
                item={base.item}
                {...(back !== undefined && { back })}
                onChange={(part) => {
                  change(part);
                  save.mutate({ changes: { ...changes, ...part }, base, after: 'stay' });
                }}
                onGone={reset}
              />
            )}
            {mayWrite && (
              <SaveMenu
                form={form}
                busy={save.isPending || uploads.waits}
                disabled={isEmpty && uploads.running === 0}
                offers={offers}
                onChoose={uploads.request}
              />
            )}
          </>
        }
      />
      <UnsavedChanges when={() => isDirty() || uploads.isRunning()} />
      {save.conflict !== null && (
        <ConflictDialog
          fields={fields}
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          onSave={(kept) => save.mutate({ ...kept, after: 'stay' })}
          onClose={() => save.setConflict(null)}
        />
      )}
      <Box
        component="form"
        noValidate
        id={form}
        ref={place}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          uploads.request('stay');
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (mayWrite && (!isEmpty || uploads.running > 0)) uploads.request('stay');
        }}
        sx={{ p: { xs: 1.5, md: 3 } }}
      >
        <ChangedNotice
          isGone={isGone}
          isBehind={!isEmpty && !save.isPending && isBehind(base, stored)}
          onCompare={() => save.setConflict(stored)}
        />
        <UploadsNotice uploads={uploads} />
        <FailureAlert error={elsewhere ? save.error : null} sx={{ mb: 2 }} />
        <Paper variant="outlined" sx={{ p: { xs: 2, md: 3 } }}>
          <UploadsOfForm value={uploads.begin}>
            <Fields
              collection={name}
              fields={fields}
              item={base.item}
              changes={changes}
              onChange={changeField}
              itemKey={itemKey}
              action={action}
              faults={faults}
              readOnly={!mayWrite || isLeaving}
            />
          </UploadsOfForm>
        </Paper>
      </Box>
    </>
  );
}

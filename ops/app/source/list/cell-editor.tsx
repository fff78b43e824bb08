/**
 * Edits one value of an item in its cell, by the interface of its field. Enter saves, Escape leaves, Tab
 * saves and goes on. A refusal or a conflict is said beside the value, and nothing that was typed is lost.
 */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { client } from '../data/client.ts';
import { faultAt, faultsBelow, faultsOf, standingFaults } from '../data/faults.ts';
import { keyFields, keyFromText } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import type { Column } from '../display/columns.ts';
import { Value } from '../display/value.tsx';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import { Fields } from '../form/fields.tsx';
import { formFields, storedQuery } from '../form/item-query.ts';
import { useFieldStates } from '../form/use-field-states.ts';
import { FieldInterface } from '../interface/field-interface.tsx';
import { FieldsContext } from '../interface/fields-context.ts';
import { unreadableWithin } from '../interface/unreadable.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Leaving } from './use-cell-focus.ts';

export interface CellEditorProps {
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly column: Column;
  readonly itemKey: string;
  readonly anchor: HTMLElement;
  readonly onLeave: (leaving: Leaving) => void;
}

interface Save extends Sending<Stored> {
  readonly leaving: Leaving;
}

/** Pixels of the narrowest editor. */
const LEAST_WIDTH = 280;
const TABBABLE =
  'input:enabled:not([type=hidden]), textarea:enabled, select:enabled, button:enabled, [tabindex]';

/** Whether the item itself is one that the caller may update; null while that is asked. */
function useMayUpdate({ collection, itemKey, column }: CellEditorProps): boolean | null {
  const isPartial = useRights()[collection]?.update?.access === 'partial';
  const { data, isError } = useQuery({
    queryKey: ['items', collection, 'rights', itemKey],
    queryFn: ({ signal }) => client.me.permissionsOn(collection, keyFromText(itemKey), { signal }),
    enabled: isPartial,
  });
  if (!isPartial || isError) return true;
  if (data === undefined) return null;
  const { access, fields } = data.update;
  const name = column.field.field;
  return access && (fields === undefined || fields.includes('*') || fields.includes(name));
}

/** Brings the focus to the control, and chooses its text, as soon as it is there. */
function useFirstFocus(control: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const place = control.current;
    const focus = () => {
      const input = place?.querySelector<HTMLElement>(TABBABLE);
      input?.focus();
      if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) input.select();
      return input !== null;
    };
    if (place === null || focus()) return;
    // The control of a field may be loaded first.
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(place, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [control]);
}

/** Whether Tab leads out of the control: its last place, or its first one backwards. */
function leads(control: HTMLElement, isBack: boolean): boolean {
  const places = [...control.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility(),
  );
  const last = isBack ? places.at(0) : places.at(-1);
  return last === undefined || last === document.activeElement;
}

function Editor({
  stored,
  mayUpdate,
  ...props
}: CellEditorProps & {
  readonly stored: Stored;
  readonly mayUpdate: boolean;
}) {
  const { collection, fields, column, itemKey, onLeave } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queryClient = useQueryClient();
  const control = useRef<HTMLDivElement>(null);
  useFirstFocus(control);
  const { field, relation } = column;
  const name = field.field;
  const label = fieldName(field, locale);
  const read = useMemo(() => Object.keys(stored.item), [stored]);
  const latest = storedQuery(collection, itemKey, read);
  const items = client.items(collection);
  const [begun, setBegun] = useState(stored);
  const draft = useDraft(begun);
  const { changes, base, values, change } = draft;
  const states = useFieldStates(collection, fields, values, 'update');
  const state = states.find((one) => one.field.field === name);
  const readOnly = !mayUpdate || state?.readOnly === true;

  /** Stores what was there before, unless it has been changed since. */
  const undo = useCallback(
    async (saved: unknown, before: unknown) => {
      try {
        const key = keyFromText(itemKey);
        const now = await items.getWithTag(key, { fields: [name] });
        if (!sameValue(now.data[name], saved))
          return notify('list.undoTooLate', { type: 'warning' });
        const condition = now.tag === null ? {} : { ifMatch: now.tag };
        await items.update(key, { [name]: before }, { fields: [name] }, condition);
        await queryClient.invalidateQueries({ queryKey: ['items', collection] });
        notify('list.undone', { type: 'success', messageArgs: { name: label } });
      } catch (error) {
        notifyFailure(error, translate);
      }
    },
    [items, itemKey, name, label, collection, queryClient, translate],
  );
  const save = useSave<Stored, Save, Item | null>({
    send: ({ changes: sent, base: { tag } }) =>
      items.update(
        keyFromText(itemKey),
        sent,
        { fields: read },
        tag === null ? {} : { ifMatch: tag },
      ),
    readLatest: () => queryClient.fetchQuery({ ...latest, staleTime: 0 }),
    async onSaved(saved, { changes: sent, base: from, leaving }) {
      await queryClient.invalidateQueries({ queryKey: ['items', collection] });
      notify('list.cellChanged', {
        type: 'success',
        messageArgs: { name: label },
        ...(saved !== null && {
          undo: () => void undo(saved[name], from.item[name]),
        }),
      });
      const isTyped = Object.keys(draft.since(sent)).length > 0;
      const now = queryClient.getQueryData(latest.queryKey);
      if (!isTyped || now === undefined) return onLeave(leaving);
      // A text typed during the save is kept as the next change.
      setBegun(now);
      draft.settle(sent, now);
    },
  });
  const faults = standingFaults(faultsOf(save.error, translate), save.variables?.changes, changes);
  const submit = (leaving: Leaving) => {
    if (save.isPending) return;
    // Some controls take what was typed when the focus leaves them.
    const active = document.activeElement;
    const isWithin = active instanceof HTMLElement && control.current?.contains(active) === true;
    if (isWithin) flushSync(() => active.blur());
    const unread = unreadableWithin(control.current);
    if (unread !== null) return unread.focus();
    if (!draft.isDirty() || readOnly) return onLeave(leaving);
    if (save.conflict === null) save.mutate({ changes: draft.latestChanges(), base, leaving });
    if (isWithin) active.focus();
  };
  const isElsewhere = faultsOf(save.error, translate).every(({ path }) => path[0] !== name);
  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    // What a control opens over the editor has keys of its own.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
    const isTab = event.key === 'Tab' && control.current?.contains(event.target) === true;
    if (isTab && leads(control.current ?? event.currentTarget, event.shiftKey)) {
      event.preventDefault();
      submit(event.shiftKey ? 'previous' : 'next');
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit('stay');
    }
  };
  const { conflict } = save;
  return (
    <Box
      component="form"
      noValidate
      onKeyDown={press}
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        // The forms of drawers are sent on their own.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        submit('stay');
      }}
      sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}
    >
      {readOnly && <Alert severity="info">{translate('list.cellReadOnly')}</Alert>}
      {!save.isStopped && isElsewhere && <FailureAlert error={save.error} />}
      <Box ref={control}>
        <FieldsContext value={Fields}>
          <FieldInterface
            field={state?.field ?? field}
            label={label}
            value={values[name]}
            onChange={(value) => change({ [name]: value })}
            readOnly={readOnly}
            required={state?.required === true}
            error={faultAt(faults, field)}
            faults={faultsBelow(faults, name)}
            itemKey={itemKey}
            relation={relation === null ? null : (state?.relation ?? null)}
          />
        </FieldsContext>
      </Box>
      {conflict !== null && (
        <Alert severity="warning">
          {translate('list.cellConflict')}{' '}
          <Box component="strong" sx={{ overflowWrap: 'anywhere' }}>
            <Value field={field} value={conflict.item[name]} />
          </Box>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
            <Button
              size="small"
              variant="contained"
              loading={save.isPending}
              onClick={() => save.mutate({ changes, base: conflict, leaving: 'stay' })}
            >
              {translate('list.keepMine')}
            </Button>
            <Button size="small" color="inherit" onClick={() => onLeave('stay')}>
              {translate('list.takeTheirs')}
            </Button>
          </Box>
        </Alert>
      )}
      <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1 }}>
        <Button size="small" color="inherit" onClick={() => onLeave('stay')}>
          {translate(readOnly ? 'shell.close' : 'shell.cancel')}
        </Button>
        {!readOnly && (
          <Button
            size="small"
            type="submit"
            variant="contained"
            loading={save.isPending}
            disabled={conflict !== null}
          >
            {translate('shell.save')}
          </Button>
        )}
      </Box>
    </Box>
  );
}

export function CellEditor(props: CellEditorProps) {
  const { collection, fields, column, itemKey, anchor, onLeave } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const rights = useRights();
  const { field } = column;
  const read = useMemo(
    () =>
      // Rules may look at any value of the item.
      field.meta?.conditions?.length
        ? formFields(fields, rights)
        : [...new Set([...keyFields(fields), field.field])],
    [field, fields, rights],
  );
  const item = useQuery({ ...storedQuery(collection, itemKey, read), staleTime: 0 });
  const mayUpdate = useMayUpdate(props);
  const form = useRef<HTMLDivElement>(null);
  const { width } = anchor.getBoundingClientRect();
  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={(_, reason) => {
        // Who clicks elsewhere has finished with the value.
        const sends = reason === 'backdropClick' ? form.current?.querySelector('form') : null;
        if (sends) sends.requestSubmit();
        else onLeave('stay');
      }}
      anchorOrigin={{ vertical: 'top', horizontal: 'left' }}
      transitionDuration={0}
      disableRestoreFocus
      slotProps={{
        paper: {
          ref: form,
          role: 'dialog',
          'aria-label': translate('list.editCell', { name: fieldName(field, locale) }),
          sx: { p: 1.5, width: Math.max(width, LEAST_WIDTH), maxWidth: 'min(36rem, 95vw)' },
        },
      }}
    >
      {item.isError ? (
        <FailureAlert error={item.error} />
      ) : !item.isFetchedAfterMount || item.data === undefined || mayUpdate === null ? (
        <Loading />
      ) : (
        <Editor {...props} stored={item.data} mayUpdate={mayUpdate} />
      )}
    </Popover>
  );
}

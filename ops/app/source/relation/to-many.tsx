/**
 * The items that belong to this one, or that it is linked with: created, added, edited, ordered and
 * taken out. All of it is part of the payload of the form.
 */
import { closestCenter, DndContext, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useContext, useMemo, useState } from 'react';
import { useCollections, useRights } from '../data/queries.ts';
import { deletesRemoved } from '../data/relation-of.ts';
import { may, mayField } from '../data/rights.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { UploadArea } from '../files/upload-area.tsx';
import { ControlFrame } from '../interface/control-frame.tsx';
import { DrawerContext } from '../interface/fields-context.ts';
import type { InterfaceProps } from '../interface/interface.ts';
import { AddMenu } from '../shell/add-menu.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { ItemDrawer } from './item-drawer.tsx';
import {
  idOf,
  keyMembers,
  keyValueOf,
  type ListChange,
  type Row,
  readChange,
  rowsOf,
  withOrder,
  withUpdate,
  writeChange,
} from './list-change.ts';
import { type ManyKind, useMany, useStoredRows, useWithChanged } from './many.ts';
import { PickerDialog } from './picker-dialog.tsx';
import { RelatedRow } from './related-row.tsx';
import { RelatedTable } from './related-table.tsx';
import { partsOf, rowFaults, targetKey, withEdit, withRemoval } from './row-edit.ts';
import { ALL_ROWS, isChosen, isLong, RowFilter } from './row-filter.tsx';
import { filterOption } from './to-one.tsx';

const PAGE = 50;

/** Whether a field may be empty. */
function isNullable(fields: readonly Field[], name: string): boolean {
  return fields.find(({ field }) => field === name)?.schema?.is_nullable !== false;
}

/** Whether a table with several columns fits beside what else stands on the screen. */
function useHasRoom(): boolean {
  const isWide = useMediaQuery<Theme>((theme) => theme.breakpoints.up('md'), { noSsr: true });
  return !useContext(DrawerContext) && isWide;
}

type Editing =
  | { readonly row: Row }
  | { readonly create: string }
  | { readonly pick: string }
  | null;

function List(props: InterfaceProps & { readonly kind: ManyKind }) {
  const { kind, field, value, onChange, readOnly, label, faults = [], itemKey = null } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const rights = useRights();
  const hasRoom = useHasRoom();
  const collections = useCollections();
  const many = useMany(kind, field);
  const [limit, setLimit] = useState(PAGE);
  const [choice, setChoice] = useState(ALL_ROWS);
  const stored = useStoredRows(many, field, itemKey, limit, choice);
  const [hasFilter, setHasFilter] = useState(false);
  // It stays: what is searched for is taken back while few rows are shown.
  if (!hasFilter && isLong(stored.rows.length)) setHasFilter(true);
  const [editing, setEditing] = useState<Editing>(null);
  const change = useMemo(() => readChange(value), [value]);
  const kept = useWithChanged(many.fields, stored.rows, change);
  const rows = rowsOf(kept, change, many.fields, many.sortField);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }));
  const options = field.meta?.options;
  const nameOf = (name: string) => {
    const known = collections.get(name);
    return known === undefined ? name : collectionName(known, locale);
  };

  const deletes = deletesRemoved(kind);
  const isRequired = !isNullable(many.fields, kind.relation.field);
  const mayRemove =
    kind.kind === 'o2m' && !deletes
      ? !isRequired && mayField(rights, many.rows, 'update', kind.relation.field)
      : may(rights, many.rows, 'delete');
  const mayLink =
    options?.enableSelect !== false &&
    (kind.kind === 'o2m'
      ? mayField(rights, many.rows, 'update', kind.relation.field)
      : may(rights, many.rows, 'create'));
  const creatable = many.targets.filter(
    (name) =>
      // A file begins with its upload.
      name !== 'system_files' &&
      options?.enableCreate !== false &&
      may(rights, name, 'create') &&
      may(rights, many.rows, 'create'),
  );

  const apply = (next: ListChange) => onChange(writeChange(next));
  const rowWith = (target: string, member: unknown): Item => {
    if (kind.kind === 'o2m') return {};
    const link = { [kind.junctionField]: member };
    return kind.kind === 'm2a' ? { [kind.collectionField]: target, ...link } : link;
  };
  const link = (target: string, items: readonly Item[]) => {
    if (kind.kind === 'o2m') {
      const linked = items.reduce<ListChange>(
        (known, item) => withUpdate(known, many.fields, keyMembers(many.fields, item), {}),
        change,
      );
      apply(linked);
    } else {
      const fields = many.targetFields.get(target) ?? [];
      const created = items.map((item) => rowWith(target, keyValueOf(fields, item)));
      apply({ ...change, create: [...change.create, ...created] });
    }
    setEditing(null);
  };
  const create = (target: string, [changes = {}, own = {}]: readonly Item[]) => {
    const row = kind.kind === 'o2m' ? changes : { ...own, ...rowWith(target, changes) };
    apply({ ...change, create: [...change.create, row] });
    setEditing(null);
  };
  // A place among some of the rows is no place in the list.
  const isOrdered = many.sortField !== null && !readOnly && !isChosen(choice);
  const move = (from: number, to: number) => {
    if (many.sortField === null || !isOrdered || to < 0 || to >= rows.length) return;
    apply(withOrder(change, rows, many.fields, many.sortField, from, to));
  };
  const draft = (target: string): Row => ({
    kind: 'new',
    id: 'draft',
    index: -1,
    item: kind.kind === 'o2m' ? {} : rowWith(target, {}),
  });
  const taken = (target: string) =>
    new Set(
      rows.flatMap((row) => {
        const key = targetKey(many, row);
        const isHere = kind.kind !== 'm2a' || row.item[kind.collectionField] === target;
        return key === null || !isHere ? [] : [idOf(key)];
      }),
    );

  if (stored.error !== null) return <Failure error={stored.error} retry={() => stored.retry()} />;
  const list = (
    <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {rows.map((row, index) => (
        <RelatedRow
          key={row.id}
          many={many}
          row={row}
          faults={rowFaults(faults, row)}
          readOnly={readOnly}
          isOrdered={isOrdered}
          deletes={kind.kind === 'o2m' && deletes}
          mayRemove={row.kind === 'new' || mayRemove}
          onEdit={() => setEditing({ row })}
          onRemove={() => apply(withRemoval(many, change, row))}
          onUp={index === 0 ? null : () => move(index, index - 1)}
          onDown={index === rows.length - 1 ? null : () => move(index, index + 1)}
        />
      ))}
    </Box>
  );
  const table = hasRoom && many.columns.length > 0 && (
    <RelatedTable
      caption={label}
      many={many}
      rows={rows}
      templates={stored.templates}
      faultsOf={(row) => rowFaults(faults, row)}
      readOnly={readOnly}
      deletes={deletes}
      mayRemove={mayRemove}
      onEdit={(row) => setEditing({ row })}
      onRemove={(row) => apply(withRemoval(many, change, row))}
    />
  );
  const isFiles = kind.kind === 'm2m' && kind.related === 'system_files';
  return (
    <ControlFrame {...props}>
      {hasFilter && (
        <RowFilter
          many={many}
          label={label}
          choice={choice}
          onChange={(next) => {
            setChoice(next);
            setLimit(PAGE);
          }}
        />
      )}
      <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, overflow: 'hidden' }}>
        {stored.isLoading && <Loading />}
        {!stored.isLoading && rows.length === 0 && (
          <Box sx={{ p: 1.5, color: 'text.secondary' }}>
            {translate(isChosen(choice) ? 'relation.nothingFits' : 'relation.none')}
          </Box>
        )}
        {rows.length > 0 && table}
        {rows.length > 0 && table === false && (
          <DndContext
            sensors={sensors}
            collisionDetection={closestCenter}
            onDragEnd={({ active, over }) => {
              const ids = rows.map(({ id }) => id);
              if (over !== null) move(ids.indexOf(String(active.id)), ids.indexOf(String(over.id)));
            }}
          >
            <SortableContext
              items={rows.map(({ id }) => id)}
              strategy={verticalListSortingStrategy}
            >
              {list}
            </SortableContext>
          </DndContext>
        )}
        {stored.hasMore && (
          <Button fullWidth onClick={() => setLimit(limit + PAGE)}>
            {translate('relation.more')}
          </Button>
        )}
      </Box>
      {rows.some((row) => row.kind === 'stored' && row.removed) &&
        deletes &&
        kind.kind === 'o2m' && (
          <Alert severity="warning" sx={{ mt: 1 }}>
            {translate('relation.willBeDeleted')}
          </Alert>
        )}
      {!readOnly && (
        <Box sx={{ display: 'flex', gap: 1, mt: 1, flexWrap: 'wrap' }}>
          <AddMenu
            text="relation.create"
            icon="add"
            targets={creatable.map((name) => ({ name, label: nameOf(name) }))}
            onChoose={(target) => setEditing({ create: target })}
          />
          <AddMenu
            text="relation.add"
            icon="link"
            targets={mayLink ? many.targets.map((name) => ({ name, label: nameOf(name) })) : []}
            onChoose={(target) => setEditing({ pick: target })}
          />
        </Box>
      )}
      {isFiles && !readOnly && mayLink && may(rights, 'system_files', 'create') && (
        <UploadArea
          multiple
          onUploaded={(file) => link('system_files', [file])}
          accept={typeof options?.accept === 'string' ? options.accept : undefined}
        />
      )}
      {editing !== null && 'pick' in editing && (
        <PickerDialog
          title={translate('relation.addTitle', { name: nameOf(editing.pick) })}
          collection={editing.pick}
          filter={filterOption(field)}
          taken={taken(editing.pick)}
          onPick={(items) => link(editing.pick, items)}
          onClose={() => setEditing(null)}
        />
      )}
      {editing !== null && 'create' in editing && (
        <ItemDrawer
          title={translate('form.newTitle', { name: nameOf(editing.create) })}
          parts={partsOf(many, draft(editing.create), [])}
          onApply={(changes) => create(editing.create, changes)}
          onClose={() => setEditing(null)}
        />
      )}
      {editing !== null && 'row' in editing && (
        <ItemDrawer
          title={nameOf(
            many.rows === kind.relation.collection && kind.kind === 'm2m'
              ? kind.related
              : many.rows,
          )}
          parts={partsOf(many, editing.row, rowFaults(faults, editing.row))}
          readOnly={readOnly}
          onApply={(changes) => {
            apply(withEdit(many, change, editing.row, changes));
            setEditing(null);
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </ControlFrame>
  );
}

/** The list of a field that leads to many items. */
export function ToMany(props: InterfaceProps) {
  const { relation } = props;
  if (!relation || relation.kind === 'm2o') return null;
  return <List {...props} kind={relation} />;
}

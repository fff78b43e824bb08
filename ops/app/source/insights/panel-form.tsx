/** The form of a panel: its kind, and what that kind reads. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { fieldsQuery, useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';
import { FilterEditor } from '../filter/filter-editor.tsx';
import { type Group, readFilter, writeFilter } from '../filter/filter-tree.ts';
import { MoreVariablesContext, PurposeContext } from '../filter/purpose.ts';
import { Choice } from '../shell/choice.tsx';
import { Part } from '../shell/part.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { placeCandidates } from '../views/layout.ts';
import { CollectionField } from './collection-field.tsx';
import {
  FUNCTIONS,
  isKind,
  KINDS,
  type Kind,
  type Panel,
  type PanelOptions,
  PRECISIONS,
  readOptions,
} from './panel-options.ts';
import { PERIODS } from './period.ts';
import { VariableForm } from './variable-form.tsx';
import type { Variable } from './variables.ts';

export type EditedPanel = Pick<Panel, 'name' | 'type' | 'options'>;

export interface PanelFormProps {
  readonly panel: EditedPanel;
  /** Those of the dashboard. */
  readonly variables: readonly Variable[];
  /** Whether it says what is missing. */
  readonly isMarked: boolean;
  readonly onChange: (changes: Partial<EditedPanel>) => void;
}

const NO_FIELDS: readonly Field[] = [];
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const DATES = new Set(['date', 'dateTime', 'timestamp']);
const UNGROUPED = new Set(['json', 'alias', 'binary', 'hash', 'text', 'unknown']);
const TWO = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
} as const;

/** The fields of a collection that a panel may name, by what they are good for. */
function useChoosableFields(collection: string) {
  const [locale] = useLocaleState();
  const rights = useRights();
  const isReadable = collection !== '' && may(rights, collection, 'read');
  const { data = NO_FIELDS } = useQuery({ ...fieldsQuery(collection), enabled: isReadable });
  return useMemo(() => {
    const known = data.filter(
      (field) =>
        field.schema !== null &&
        !specialsOf(field).has('conceal') &&
        mayField(rights, collection, 'read', field.field),
    );
    const choices = (fits: (field: Field) => boolean) =>
      known.filter(fits).map((field): [string, string] => [field.field, fieldName(field, locale)]);
    const isKey = ({ schema }: Field) =>
      schema?.is_primary_key === true || Boolean(schema?.foreign_key_table);
    return {
      numbers: choices((field) => NUMBERS.has(field.type) && !isKey(field)),
      dates: choices(({ type }) => DATES.has(type)),
      groups: choices(
        (field) => !UNGROUPED.has(field.type) && field.schema?.is_primary_key !== true,
      ),
      all: choices(({ type }) => type !== 'json'),
      places: placeCandidates(known.map((field) => ({ field }))).map(
        ({ field }): [string, string] => [field.field, fieldName(field, locale)],
      ),
    };
  }, [data, rights, collection, locale]);
}

interface FilterPartProps {
  readonly collection: string;
  readonly options: PanelOptions;
  readonly variables: readonly Variable[];
  readonly onChange: (filter: Item | null) => void;
}

function FilterPart({ collection, options, variables, onChange }: FilterPartProps) {
  const translate = useTranslate();
  const title = useId();
  const [draft, setDraft] = useState(() => readFilter(options.filter));
  const names = useMemo(() => variables.map(({ name }) => `$${name}`), [variables]);
  const take = (next: Group) => {
    setDraft(next);
    onChange(writeFilter(next));
  };
  return (
    <Box role="group" aria-labelledby={title} sx={{ display: 'grid', gap: 1.5 }}>
      <Box>
        <Typography id={title} variant="h3">
          {translate('filter.title')}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          {translate('insights.filterHelp')}
        </Typography>
      </Box>
      <PurposeContext value="rule">
        <MoreVariablesContext value={names}>
          <FilterEditor collection={collection} filter={draft} onChange={take} />
        </MoreVariablesContext>
      </PurposeContext>
    </Box>
  );
}

interface DataFormProps {
  readonly kind: Kind;
  readonly options: PanelOptions;
  readonly variables: readonly Variable[];
  readonly change: (changes: Partial<PanelOptions>) => void;
}

function DataForm({ kind, options, variables, change }: DataFormProps) {
  const translate = useTranslate();
  const { collection } = options;
  const fields = useChoosableFields(collection);
  const chooseCollection = (next: string) =>
    change({
      ...{ collection: next, filter: null },
      ...{ valueField: '', dateField: '', groupField: '', sortField: '', geometryField: '' },
    });
  type Named = 'valueField' | 'dateField' | 'groupField' | 'sortField' | 'geometryField';
  const fieldChoice = (name: Named, of: readonly (readonly [string, string])[], none: string) => (
    <Choice
      label={translate(`insights.${name}`)}
      value={options[name]}
      options={[['', translate(none)], ...of]}
      onChange={(field) => change({ [name]: field })}
    />
  );
  const isAggregated = kind !== 'list' && kind !== 'map';
  const values = options.function === 'countDistinct' ? fields.all : fields.numbers;
  const needsField = options.function !== 'count';
  return (
    <>
      <CollectionField value={collection} onChange={chooseCollection} />
      {collection !== '' && (
        <>
          <Box sx={TWO}>
            {isAggregated && (
              <Choice
                label={translate('insights.function')}
                value={options.function}
                options={FUNCTIONS.map((name) => [name, translate(`insights.function_${name}`)])}
                onChange={(name) => change({ function: name, valueField: '' })}
              />
            )}
            {isAggregated &&
              needsField &&
              fieldChoice('valueField', values, 'insights.chooseField')}
            {kind === 'map' && fieldChoice('geometryField', fields.places, 'insights.firstPlace')}
            {kind === 'bar-chart' &&
              fieldChoice('groupField', fields.groups, 'insights.chooseField')}
            {fieldChoice(
              'dateField',
              fields.dates,
              kind === 'time-series' ? 'insights.chooseField' : 'insights.noDateField',
            )}
            {options.dateField !== '' && (
              <Choice
                label={translate('insights.range')}
                value={options.range}
                options={[
                  ['page', translate('insights.rangePage')],
                  ...PERIODS.map((name): [(typeof PERIODS)[number], string] => [
                    name,
                    translate(`insights.period_${name}`),
                  ]),
                ]}
                onChange={(range) => change({ range })}
              />
            )}
            {kind === 'time-series' && (
              <>
                <Choice
                  label={translate('insights.precision')}
                  value={options.precision}
                  options={PRECISIONS.map((name) => [
                    name,
                    translate(`insights.precision_${name}`),
                  ])}
                  onChange={(precision) => change({ precision })}
                />
                <Choice
                  label={translate('insights.look')}
                  value={options.look}
                  options={[
                    ['lines', translate('insights.look_lines')],
                    ['bars', translate('insights.look_bars')],
                  ]}
                  onChange={(look) => change({ look })}
                />
              </>
            )}
            {kind === 'list' && (
              <>
                {fieldChoice('sortField', fields.all, 'insights.noSort')}
                <Choice
                  label={translate('insights.sortDirection')}
                  value={options.sortDirection}
                  options={[
                    ['desc', translate('insights.sort_desc')],
                    ['asc', translate('insights.sort_asc')],
                  ]}
                  onChange={(sortDirection) => change({ sortDirection })}
                />
              </>
            )}
            {(kind === 'list' || kind === 'bar-chart') && (
              <TextField
                type="number"
                label={translate('insights.limit')}
                defaultValue={options.limit}
                onChange={({ target }) => change({ limit: Number(target.value) || 1 })}
                slotProps={{ htmlInput: { min: 1, max: 100 } }}
              />
            )}
          </Box>
          <FilterPart
            key={collection}
            collection={collection}
            options={options}
            variables={variables}
            onChange={(filter) => change({ filter })}
          />
        </>
      )}
    </>
  );
}

export function PanelForm({ panel, variables, isMarked, onChange }: PanelFormProps) {
  const translate = useTranslate();
  const { name, type, options } = panel;
  const kind = isKind(type) ? type : 'metric';
  return (
    <Part title={translate('insights.panel')} help={translate(`insights.kindHelp_${kind}`)}>
      {isMarked && <Alert severity="warning">{translate('insights.unfinished')}</Alert>}
      <Box sx={TWO}>
        <Choice
          label={translate('insights.kind')}
          value={kind}
          options={KINDS.map((known) => [known, translate(`insights.kind_${known}`)])}
          onChange={(next) => onChange({ type: next })}
        />
        <TextField
          label={translate('insights.name')}
          value={name ?? ''}
          onChange={({ target }) => onChange({ name: target.value === '' ? null : target.value })}
          slotProps={{ htmlInput: { maxLength: 255, dir: 'auto' } }}
        />
      </Box>
      {kind === 'variable' ? (
        <VariableForm options={options} onChange={(next) => onChange({ options: next })} />
      ) : (
        <DataForm
          kind={kind}
          options={readOptions(options)}
          variables={variables}
          change={(changes) =>
            onChange({ options: { ...options, ...readOptions(options), ...changes } })
          }
        />
      )}
    </Part>
  );
}

/** The columns of the file with the fields that they go to. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { ImportReference } from '../../../client/source/index.ts';
import type { Field } from '../data/schema-types.ts';
import { fieldName, humanize } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { isRequired } from './mapping.ts';
import type { Mapping, Plan } from './plan.ts';
import { type Preview, samplesOf } from './preview.ts';
import { ReferenceForm } from './reference-form.tsx';

export interface MappingListProps {
  readonly preview: Preview;
  readonly fields: readonly Field[];
  readonly mapping: Mapping;
  readonly references: NonNullable<Plan['references']>;
  /** Fields that have a value without a column. */
  readonly constants: NonNullable<Plan['constants']>;
  /** Whether rows may become new items, which need all required fields. */
  readonly inserts: boolean;
  readonly onChange: (column: string, field: string | null) => void;
  readonly onReference: (column: string, reference: ImportReference | undefined) => void;
}

/** A column of the file beside its field; on a phone above it. */
export const COLUMN_ROW = {
  display: 'grid',
  gridTemplateColumns: { xs: '1fr', sm: 'minmax(0, 1fr) minmax(0, 1fr)' },
  columnGap: 3,
  rowGap: 1,
  alignItems: 'center',
  py: 1.5,
  '& + &': { borderTop: 1, borderColor: 'divider' },
} as const;

interface RowProps
  extends Pick<MappingListProps, 'fields' | 'references' | 'onChange' | 'onReference'> {
  readonly column: string;
  readonly samples: string;
  readonly target: string | null;
}

function ColumnRow(props: RowProps) {
  const { column, samples, target, fields, references, onChange, onReference } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const field = fields.find((one) => one.field === target);
  const names = new Map(fields.map((one) => [one.field, fieldName(one, locale)]));
  // The path of a related item is no field of its own.
  if (target !== null && field === undefined) names.set(target, target);
  if (column.includes('.')) names.set(column, column);
  return (
    <Box component="li" sx={COLUMN_ROW}>
      <Box sx={{ minWidth: 0 }}>
        <Typography noWrap sx={{ fontWeight: 600 }}>
          {column}
        </Typography>
        <Typography noWrap variant="body2" color="textSecondary">
          {samples}
        </Typography>
      </Box>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
        <TextField
          select
          value={target ?? ''}
          onChange={({ target: { value } }) => onChange(column, value === '' ? null : value)}
          slotProps={{
            select: { native: true },
            htmlInput: { 'aria-label': translate('imports.fieldOf', { column }) },
          }}
          sx={{ flex: 1, minWidth: 0, ...(target === null && { opacity: 0.85 }) }}
        >
          <option value="">{translate('imports.leaveOut')}</option>
          {[...names].map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </TextField>
        <Box sx={{ width: 132, flexShrink: 0, display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
          {field !== undefined && (
            <Typography variant="body2" color="textSecondary" component="span">
              {translate(`imports.type.${field.type}`, { _: humanize(field.type) })}
            </Typography>
          )}
          {field !== undefined && isRequired(field) && (
            <Chip size="small" variant="outlined" label={translate('imports.required')} />
          )}
        </Box>
      </Box>
      {field !== undefined && (
        <ReferenceForm
          column={column}
          field={field}
          reference={references[column]}
          onChange={(reference) => onReference(column, reference)}
        />
      )}
    </Box>
  );
}

export function MappingList(props: MappingListProps) {
  const { preview, fields, mapping, references, constants, inserts } = props;
  const { onChange, onReference } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const used = new Set([...Object.values(mapping), ...Object.keys(constants)]);
  const missing = inserts
    ? fields.filter((field) => isRequired(field) && !used.has(field.field))
    : [];
  return (
    <>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {preview.columns.map(
          (column, at) =>
            column !== '' && (
              <ColumnRow
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
                key={`${at} ${column}`}
                column={column}
                samples={samplesOf(preview, at)}
                target={mapping[column] ?? null}
                fields={fields}
                references={references}
                onChange={onChange}
                onReference={onReference}
              />
            ),
        )}
      </Box>
      {missing.length > 0 && (
        <Alert severity="warning" sx={{ mt: 2 }}>
          {translate('imports.missing', {
            smart_count: missing.length,
            fields: missing.map((field) => fieldName(field, locale)).join(', '),
          })}
        </Alert>
      )}
    </>
  );
}

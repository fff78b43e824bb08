/** What a new field becomes, as chips: its type, what speaks against it, and whether it is the key. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { NEW_TYPES } from './plan.ts';
import type { ProposedField } from './use-proposal.ts';

/** A collection whose items a field can refer to. */
export interface RelationTarget {
  readonly collection: string;
  readonly name: string;
}

export interface NewFieldChipsProps {
  readonly column: string;
  readonly proposal: ProposedField;
  /** The collection that the field refers to; empty without one. */
  readonly related: string;
  /** Collections that it may refer to. */
  readonly targets: readonly RelationTarget[];
  readonly onType: (type: string) => void;
  readonly onRelation: (collection: string) => void;
  readonly onKey: () => void;
  readonly onFormat: (format: string) => void;
}

/** Formats of dates can be chosen; notations of numbers are shown as examples. */
const DATE = /Y/;

export function NewFieldChips(props: NewFieldChipsProps) {
  const { column, proposal, related, targets, onType, onRelation, onKey, onFormat } = props;
  const { type, isKey, misfits, examples, ambiguous } = proposal;
  const translate = useTranslate();
  const types = NEW_TYPES.some((one) => one === type) ? NEW_TYPES : [type, ...NEW_TYPES];
  return (
    <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap', alignItems: 'center', mt: 0.5 }}>
      <TextField
        select
        value={type}
        disabled={related !== ''}
        onChange={({ target }) => onType(target.value)}
        slotProps={{
          select: { native: true },
          htmlInput: { 'aria-label': translate('imports.typeOf', { column }) },
        }}
      >
        {types.map((one) => (
          <option key={one} value={one}>
            {translate(`imports.newType.${one}`, { _: humanize(one) })}
          </option>
        ))}
      </TextField>
      {targets.length > 0 && !isKey && (
        <TextField
          select
          value={related}
          onChange={({ target }) => onRelation(target.value)}
          slotProps={{
            select: { native: true },
            htmlInput: { 'aria-label': translate('imports.refersTo', { column }) },
          }}
        >
          <option value="">{translate('imports.noRelation')}</option>
          {targets.map(({ collection, name }) => (
            <option key={collection} value={collection}>
              {translate('imports.relationTo', { name })}
            </option>
          ))}
        </TextField>
      )}
      <Chip
        size="small"
        label={translate('imports.key')}
        color={isKey ? 'primary' : 'default'}
        variant={isKey ? 'filled' : 'outlined'}
        aria-pressed={isKey}
        onClick={onKey}
      />
      {misfits > 0 && (
        <Chip
          size="small"
          color="warning"
          label={translate('imports.against', {
            smart_count: misfits,
            examples: examples.join(', '),
          })}
        />
      )}
      {ambiguous.map((format) => (
        <Chip
          key={format}
          size="small"
          color="warning"
          variant="outlined"
          label={translate('imports.readAs', { format })}
          {...(DATE.test(format) ? { onClick: () => onFormat(format) } : {})}
        />
      ))}
    </Box>
  );
}

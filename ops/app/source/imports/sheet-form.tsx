/** Which sheet of a workbook is read, and which of its rows names the columns. */
import TextField from '@mui/material/TextField';
import { Choice } from '../shell/choice.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Plan } from './plan.ts';
import type { Sheet } from './workbook.ts';

export interface SheetFormProps {
  readonly sheets: readonly Sheet[];
  readonly plan: Plan;
  readonly onChange: (changes: Partial<Plan>) => void;
}

export function SheetForm({ sheets, plan, onChange }: SheetFormProps) {
  const translate = useTranslate();
  const { sheet = '', headerRow = '' } = plan;
  // What was mapped says nothing about the columns of another table.
  const choose = (changes: Partial<Plan>) => onChange({ ...changes, mapping: {}, references: {} });
  return (
    <>
      {sheets.length === 0 ? (
        <TextField
          label={translate('imports.sheet')}
          value={sheet}
          placeholder={translate('imports.firstSheet')}
          helperText={translate('imports.sheetHelp')}
          onChange={({ target }) => choose({ sheet: target.value })}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      ) : (
        <Choice
          label={translate('imports.sheet')}
          value={sheet}
          options={[
            ['', translate('imports.firstSheet')],
            ...sheets.map(({ name }) => [name, name] as const),
          ]}
          onChange={(name) => choose({ sheet: name })}
        />
      )}
      <TextField
        label={translate('imports.headerRow')}
        value={headerRow}
        placeholder={translate('imports.firstRow')}
        onChange={({ target }) => choose({ headerRow: target.value.replace(/\D/g, '') })}
        slotProps={{ inputLabel: { shrink: true }, htmlInput: { inputMode: 'numeric' } }}
      />
    </>
  );
}

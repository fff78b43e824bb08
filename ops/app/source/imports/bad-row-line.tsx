/** A bad row: its cells, which are corrected in their places, each with what is wrong with it. */
import Checkbox from '@mui/material/Checkbox';
import InputBase from '@mui/material/InputBase';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useTranslate } from '../translation/use-translate.ts';
import type { BadRow } from './bad-rows.ts';

export type Edits = Readonly<Record<string, string>>;

export interface BadRowLineProps {
  readonly bad: BadRow;
  readonly columns: readonly string[];
  /** As they stand in the file, by column; null where the file's row is not known. */
  readonly cells: Edits | null;
  readonly edits: Edits;
  /** What is wrong by column, and with the row under an empty name. */
  readonly faults: ReadonlyMap<string, string>;
  /** Whether the table has a column of boxes to choose rows. */
  readonly choosable: boolean;
  /** Whether it is sent again; null where that cannot be. */
  readonly chosen: boolean | null;
  readonly onEdit: (row: number, column: string, text: string) => void;
  readonly onChoose: (row: number, chosen: boolean) => void;
}

const PLAIN = {
  fontSize: '0.875rem',
  px: 1,
  borderRadius: 1,
  border: '1px solid transparent',
  width: '100%',
  '&:hover, &.Mui-focused': { borderColor: 'divider', bgcolor: 'background.paper' },
} as const;

export function BadRowLine(props: BadRowLineProps) {
  const { bad, columns, cells, edits, faults, choosable, chosen, onEdit, onChoose } = props;
  const translate = useTranslate();
  const { row } = bad;
  const whole = faults.get('');
  const withheld = bad.withheld !== null && translate(`imports.withheld.${bad.withheld}`);
  const hasMore = whole !== undefined || withheld !== false;
  const cell = (column: string) => {
    const text = edits[column] ?? cells?.[column] ?? '';
    const fault = faults.get(column);
    if (chosen === null) return <Told text={text} fault={fault} />;
    const name = { 'aria-label': translate('imports.cell', { column, row }) };
    const edit = (value: string) => onEdit(row, column, value);
    if (fault === undefined) {
      return (
        <InputBase
          value={text}
          onChange={({ target }) => edit(target.value)}
          slotProps={{ input: name }}
          sx={PLAIN}
        />
      );
    }
    const changed = edits[column] !== undefined && edits[column] !== cells?.[column];
    return (
      <TextField
        value={text}
        error={!changed}
        color={changed ? 'success' : 'primary'}
        focused={changed || undefined}
        helperText={fault}
        onChange={({ target }) => edit(target.value)}
        slotProps={{ htmlInput: name, formHelperText: { sx: { mx: 0 } } }}
      />
    );
  };
  return (
    <>
      <TableRow
        selected={chosen === true}
        sx={{ '& td, & th': { verticalAlign: 'top', ...(hasMore && { borderBottom: 0 }) } }}
      >
        {choosable && chosen === null && <TableCell padding="checkbox" />}
        {chosen !== null && (
          <TableCell padding="checkbox" sx={{ pt: 1 }}>
            <Checkbox
              size="small"
              checked={chosen}
              onChange={(_, now) => onChoose(row, now)}
              slotProps={{ input: { 'aria-label': translate('imports.sendRow', { row }) } }}
            />
          </TableCell>
        )}
        <TableCell component="th" scope="row" align="right" sx={{ pt: 1.75, fontWeight: 600 }}>
          {row}
        </TableCell>
        {columns.map((column) => (
          <TableCell key={column} sx={{ minWidth: faults.has(column) ? 200 : 130, py: 1 }}>
            {cell(column)}
          </TableCell>
        ))}
      </TableRow>
      {hasMore && (
        <TableRow>
          <TableCell colSpan={columns.length + 2} sx={{ pt: 0 }}>
            {whole !== undefined && (
              <Typography variant="body2" color="error">
                {whole}
              </Typography>
            )}
            {withheld !== false && (
              <Typography variant="body2" color="textSecondary">
                {withheld}
              </Typography>
            )}
          </TableCell>
        </TableRow>
      )}
    </>
  );
}

/** A cell that cannot be corrected here. */
function Told({ text, fault }: { readonly text: string; readonly fault: string | undefined }) {
  return (
    <>
      <Typography
        variant="body2"
        sx={{ pt: 0.75, overflowWrap: 'anywhere', ...(fault && { fontWeight: 650 }) }}
      >
        {text}
      </Typography>
      {fault !== undefined && (
        <Typography variant="caption" color="error">
          {fault}
        </Typography>
      )}
    </>
  );
}

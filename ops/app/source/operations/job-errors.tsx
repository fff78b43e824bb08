/** Why a job failed, and the rows of a file that were refused. */
import Alert from '@mui/material/Alert';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import type { Job } from '../../../client/source/index.ts';
import { refusalText } from '../data/fault-text.ts';
import { DataTable } from '../shell/data-table.tsx';
import { useTranslate } from '../translation/use-translate.ts';

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

export function JobErrors({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const errors = job.error ?? [];
  const rows = errors.filter(({ extensions }) => extensions.row !== undefined);
  const others = errors.filter(({ extensions }) => extensions.row === undefined);
  return (
    <>
      {others.map(({ message, extensions }) => (
        <Alert key={`${extensions.code} ${message}`} severity="error">
          {refusalText(extensions, translate, message)}
        </Alert>
      ))}
      {rows.length > 0 && (
        <DataTable
          caption={translate('operations.badRows')}
          heads={[
            { text: translate('operations.row'), align: 'right' },
            translate('operations.field'),
            translate('operations.value'),
            translate('operations.reason'),
          ]}
        >
          {rows.map(({ message, extensions }) => (
            <TableRow key={`${text(extensions.row)} ${text(extensions.field)} ${message}`}>
              <TableCell align="right">{text(extensions.row)}</TableCell>
              <TableCell>{text(extensions.field)}</TableCell>
              <TableCell sx={{ overflowWrap: 'anywhere' }}>{text(extensions.value)}</TableCell>
              <TableCell>{refusalText(extensions, translate, message)}</TableCell>
            </TableRow>
          ))}
        </DataTable>
      )}
    </>
  );
}

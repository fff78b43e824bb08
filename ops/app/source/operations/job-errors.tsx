/** Why a job failed, and the rows of a file that were refused. */
import Alert from '@mui/material/Alert';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import type { Job } from '../../../client/source/index.ts';
import { refusalText } from '../data/fault-text.ts';
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
        <TableContainer component={Paper} variant="outlined">
          <Table size="small">
            <caption style={visuallyHidden}>{translate('operations.badRows')}</caption>
            <TableHead>
              <TableRow>
                <TableCell align="right">{translate('operations.row')}</TableCell>
                <TableCell>{translate('operations.field')}</TableCell>
                <TableCell>{translate('operations.value')}</TableCell>
                <TableCell>{translate('operations.reason')}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {rows.map(({ message, extensions }) => (
                <TableRow key={`${text(extensions.row)} ${text(extensions.field)} ${message}`}>
                  <TableCell align="right">{text(extensions.row)}</TableCell>
                  <TableCell>{text(extensions.field)}</TableCell>
                  <TableCell sx={{ overflowWrap: 'anywhere' }}>{text(extensions.value)}</TableCell>
                  <TableCell>{refusalText(extensions, translate, message)}</TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </TableContainer>
      )}
    </>
  );
}

/** The first rows of the file, as they are read with the dialect that is chosen. */
import Box from '@mui/material/Box';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import { useTranslate } from '../translation/use-translate.ts';
import type { Mapping } from './plan.ts';
import type { Preview } from './preview.ts';

export interface FirstRowsProps {
  readonly preview: Preview;
  readonly mapping: Mapping;
}

const SHOWN = 5;

export function FirstRows({ preview: { columns, rows }, mapping }: FirstRowsProps) {
  const translate = useTranslate();
  const muted = (column: string) => (mapping[column] === null ? 'text.secondary' : 'text.primary');
  return (
    <TableContainer
      // It is scrolled by keyboard, too.
      tabIndex={0}
      role="region"
      aria-label={translate('imports.firstRows')}
      sx={{ border: 1, borderColor: 'divider', borderRadius: 1 }}
    >
      <Table size="small">
        <caption style={visuallyHidden}>{translate('imports.firstRows')}</caption>
        <TableHead>
          <TableRow>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns of a file are known by their places
              <TableCell key={at} sx={{ whiteSpace: 'nowrap', fontWeight: 650 }}>
                {column}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.slice(0, SHOWN).map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file are known by their places
            <TableRow key={line}>
              {columns.map((column, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <TableCell key={at} sx={{ color: muted(column) }}>
                  <Box
                    sx={{
                      ...{ maxWidth: 260, overflow: 'hidden', textOverflow: 'ellipsis' },
                      whiteSpace: 'nowrap',
                    }}
                  >
                    {row[at]}
                  </Box>
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

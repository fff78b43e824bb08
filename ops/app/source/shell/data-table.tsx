/** A table with its heads; its rows are what stands in it. */
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell, { type TableCellProps } from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import type { ReactNode } from 'react';

export interface Head extends Pick<TableCellProps, 'align' | 'sx'> {
  readonly text: string;
}

export interface DataTableProps {
  /** What it is called, unless a title does that. */
  readonly caption?: string;
  readonly labelledBy?: string;
  readonly heads: readonly (string | Head)[];
  readonly children: ReactNode;
}

export function DataTable({ caption, labelledBy, heads, children }: DataTableProps) {
  return (
    <TableContainer component={Paper} variant="outlined">
      <Table size="small" aria-labelledby={labelledBy}>
        {caption !== undefined && <caption style={visuallyHidden}>{caption}</caption>}
        <TableHead>
          <TableRow>
            {heads.map((head) => {
              const { text, ...cell } = typeof head === 'string' ? { text: head } : head;
              return (
                <TableCell key={text} {...cell}>
                  {text}
                </TableCell>
              );
            })}
          </TableRow>
        </TableHead>
        <TableBody>{children}</TableBody>
      </Table>
    </TableContainer>
  );
}

/** Why rows were left out, by reason, and which columns of the file nothing was taken from. */
import Alert from '@mui/material/Alert';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { refusalText } from '../data/fault-text.ts';
import { isItem } from '../data/values.ts';
import { formatNumber } from '../display/format.ts';
import { DataTable } from '../shell/data-table.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

interface Group {
  readonly code: string;
  readonly field: string | null;
  readonly reason: unknown;
  readonly reason_code: unknown;
  readonly reason_parameters: unknown;
  readonly rows: number;
}

function groupsOf(result: unknown): readonly Group[] {
  const reasons = isItem(result) && Array.isArray(result.reasons) ? result.reasons : [];
  return reasons
    .filter(isItem)
    .map(({ code, field, rows, reason, reason_code, reason_parameters }) => ({
      ...{ reason, reason_code, reason_parameters },
      code: String(code),
      field: typeof field === 'string' ? field : null,
      rows: Number(rows),
    }));
}

/** The number of values by column that the import took nothing from. */
function ignoredOf(result: unknown): readonly (readonly [string, number])[] {
  const ignored = isItem(result) && isItem(result.ignored) ? result.ignored : {};
  return Object.entries(ignored).map(([column, count]) => [column, Number(count)]);
}

export function FaultGroups({ result }: { readonly result: unknown }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const groups = groupsOf(result);
  const ignored = ignoredOf(result);
  return (
    <>
      {ignored.length > 0 && (
        <Alert severity="info">
          {translate('imports.ignored')}{' '}
          {ignored
            .map(([column, count]) => `${column} (${formatNumber(count, locale)})`)
            .join(', ')}
        </Alert>
      )}
      {groups.length > 0 && (
        <DataTable
          caption={translate('imports.reasons')}
          heads={[
            { text: translate('imports.rows'), align: 'right' },
            translate('operations.field'),
            translate('operations.reason'),
          ]}
        >
          {groups.map((group) => (
            <TableRow key={[group.code, group.field, group.reason_code].join(' ')}>
              <TableCell align="right">{formatNumber(group.rows, locale)}</TableCell>
              <TableCell>{group.field}</TableCell>
              <TableCell>{refusalText(group, translate)}</TableCell>
            </TableRow>
          ))}
        </DataTable>
      )}
    </>
  );
}

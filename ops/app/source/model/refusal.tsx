/** Why a change was refused: with the items that would lose values, and the way to accept that. */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { SluiceError } from '../../../client/source/index.ts';
import { tellFailure } from '../data/failure.ts';
import { useFields } from '../data/queries.ts';
import { itemPath, listPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { useTranslate } from '../translation/use-translate.ts';

interface LostValue {
  readonly key: string | null;
  readonly value: string;
}

interface Loss {
  readonly collection: string;
  readonly field: string;
  readonly rows: number;
  readonly values: readonly LostValue[];
  /** Whether the change can be made all the same. */
  readonly canForce: boolean;
}

function keyText(key: unknown): string | null {
  if (key === null || key === undefined) return null;
  return (Array.isArray(key) ? key : [key])
    .map((part) => encodeURIComponent(String(part)))
    .join(',');
}

function lossOf(error: unknown): Loss | null {
  if (!(error instanceof SluiceError)) return null;
  const told: Item = error.errors[0]?.extensions ?? {};
  const { collection, field, rows, values } = told;
  if (typeof rows !== 'number' || typeof field !== 'string') return null;
  const list = Array.isArray(values) ? values.filter(isItem) : [];
  return {
    collection: String(collection ?? ''),
    field,
    rows,
    values: list.map(({ key, value }) => ({ key: keyText(key), value: String(value) })),
    canForce: error.code === 'UNPROCESSABLE_ENTITY' && list.length > 0,
  };
}

function LostValues({ collection, field, rows, values }: Loss) {
  const translate = useTranslate();
  return (
    <Box sx={{ mt: 1, overflowX: 'auto' }}>
      <Table size="small" aria-label={translate('model.lostTitle', { smart_count: rows })}>
        <TableHead>
          <TableRow>
            <TableCell>{translate('model.item')}</TableCell>
            <TableCell>{field}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {values.map(({ key, value }, place) => (
            <TableRow key={key ?? `${place} ${value}`}>
              <TableCell>
                {key !== null && (
                  <Link to={itemPath(collection, key)} target="_blank">
                    {key}
                  </Link>
                )}
              </TableCell>
              <TableCell sx={{ overflowWrap: 'anywhere', color: 'error.main', fontWeight: 600 }}>
                {value}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {rows > values.length && (
        <Box sx={{ pt: 1 }}>{translate('model.lostMore', { count: rows - values.length })}</Box>
      )}
    </Box>
  );
}

/** Items without a value, where each needs one. */
function Missing({ collection, field, rows }: Loss) {
  const translate = useTranslate();
  const exists = useFields(collection).some((known) => known.field === field);
  const filter = JSON.stringify({ [field]: { _null: true } });
  return (
    <Alert severity="error">
      <AlertTitle>{translate('model.missingTitle', { smart_count: rows })}</AlertTitle>
      {translate(exists ? 'model.missingHelp' : 'model.missingHelpNew', { field })}{' '}
      {exists && (
        <Link to={`${listPath(collection)}?${new URLSearchParams({ filter })}`} target="_blank">
          {translate('model.showThem', { smart_count: rows })}
        </Link>
      )}
    </Alert>
  );
}

export interface RefusalProps {
  readonly error: unknown;
  readonly onForce: () => void;
  /** Key of what was not done; that of a change by default. */
  readonly title?: string;
}

export function Refusal(props: RefusalProps) {
  const place = useRef<HTMLDivElement>(null);
  const { error } = props;
  // It stands above the form, which may be long.
  useEffect(() => {
    if (error !== null) place.current?.focus();
  }, [error]);
  return (
    <Box ref={place} tabIndex={-1} sx={{ scrollMarginTop: 96 }}>
      <Told {...props} />
    </Box>
  );
}

function Told({ error, onForce, title = 'model.refused' }: RefusalProps) {
  const translate = useTranslate();
  const [accepted, setAccepted] = useState(false);
  const loss = lossOf(error);
  const code = error instanceof SluiceError ? error.code : '';
  if (loss === null) {
    const { text, detail } = tellFailure(error, translate);
    const locked = code === 'SERVICE_UNAVAILABLE';
    return (
      <Alert severity="error">
        <AlertTitle>{translate(locked ? 'model.refusedLocked' : title)}</AlertTitle>
        {detail ?? translate(text)} {locked && translate('model.refusedLockedHelp')}
      </Alert>
    );
  }
  if (!loss.canForce) return <Missing {...loss} />;
  return (
    <Alert severity="warning" sx={{ '& .MuiAlert-message': { flex: 1, minWidth: 0 } }}>
      <AlertTitle>{translate('model.lostTitle', { smart_count: loss.rows })}</AlertTitle>
      {translate('model.lostHelp')}
      <LostValues {...loss} />
      <FormControlLabel
        sx={{ mt: 1, display: 'flex' }}
        control={
          <Checkbox
            size="small"
            checked={accepted}
            onChange={(_, checked) => setAccepted(checked)}
          />
        }
        label={translate('model.acceptLoss')}
      />
      <Button
        color="error"
        variant="contained"
        disabled={!accepted}
        onClick={onForce}
        sx={{ mt: 1 }}
      >
        {translate('model.force')}
      </Button>
    </Alert>
  );
}

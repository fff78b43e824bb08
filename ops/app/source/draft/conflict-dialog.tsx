/** Another person has saved the same meanwhile: shows what each has changed, and lets one choose. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import type { Field, Item } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';
import { Becomes } from '../display/becomes.tsx';
import { Value } from '../display/value.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { changedByOther, conflictsOf, resolved } from './changes.ts';
import type { Draft, Stored } from './use-draft.ts';
import type { Sending } from './use-save.ts';

/** What fields are called, and how their values are shown. */
export interface ConflictWords {
  readonly nameOf: (field: string) => string;
  readonly say: (field: string, value: unknown) => ReactNode;
}

interface ConflictDialogProps<S extends Stored<object>> {
  /** Of the item; they tell what fields are called, unless `words` does. */
  readonly fields?: readonly Field[];
  readonly words?: ConflictWords;
  readonly draft: Draft<S>;
  /** What is stored now. */
  readonly theirs: S;
  readonly busy: boolean;
  /** Saves the changes that are kept over what is stored now. */
  readonly onSave: (sending: Sending<S>) => void;
  readonly onClose: () => void;
}

const MADE = ['date-updated', 'user-updated'];
const NO_FIELDS: readonly Field[] = [];
const NONE: ReadonlySet<string> = new Set();

export function ConflictDialog<S extends Stored<object>>(props: ConflictDialogProps<S>) {
  const { fields = NO_FIELDS, words, draft, theirs: latest, busy, onSave, onClose } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const id = useId();
  const [takesTheirs, setTakesTheirs] = useState(NONE);
  const byName = new Map(fields.map((field) => [field.field, field]));
  const nameOf = (name: string) => {
    if (words !== undefined) return words.nameOf(name);
    const field = byName.get(name);
    return field === undefined ? name : fieldName(field, locale);
  };
  const base: Item = { ...draft.base.item };
  const theirs: Item = { ...latest.item };
  const mine = draft.changes;
  const conflicts = conflictsOf(base, mine, theirs);
  const others = changedByOther(base, mine, theirs).filter((name) => {
    const field = byName.get(name);
    if (field === undefined) return words !== undefined;
    return !MADE.some((flag) => specialsOf(field).has(flag));
  });
  const choose = (name: string, isTheirs: boolean) =>
    setTakesTheirs((known) => {
      const next = new Set(known);
      if (isTheirs) next.add(name);
      else next.delete(name);
      return next;
    });
  const keep = (without: ReadonlySet<string>) => {
    const changes = resolved(mine, theirs, without);
    draft.reset(changes, latest);
    if (Object.keys(changes).length === 0) onClose();
    else onSave({ changes, base: latest });
  };
  const shown = (name: string, value: unknown) => {
    if (words !== undefined) return words.say(name, value);
    const field = byName.get(name);
    return field === undefined ? null : <Value field={field} value={value} />;
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="md">
      <DialogTitle id={id}>{translate('form.conflictTitle')}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>
          {translate(conflicts.length > 0 ? 'form.conflictText' : 'form.conflictNone')}
        </DialogContentText>
        {conflicts.map(({ field, base: before, mine: own, theirs: other }) => (
          <Box
            key={field}
            sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 2, mb: 1.5 }}
          >
            <Typography variant="h3" id={`${id}-${field}`}>
              {nameOf(field)}
            </Typography>
            <Typography color="textSecondary" component="div" sx={{ fontSize: 13, mb: 1 }}>
              {translate('form.conflictBase')}: {shown(field, before)}
            </Typography>
            <RadioGroup
              aria-labelledby={`${id}-${field}`}
              value={takesTheirs.has(field) ? 'theirs' : 'mine'}
              onChange={(_, side) => choose(field, side === 'theirs')}
            >
              <FormControlLabel
                value="mine"
                control={<Radio size="small" />}
                label={
                  <>
                    <b>{translate('form.conflictMine')}:</b> {shown(field, own)}
                  </>
                }
              />
              <FormControlLabel
                value="theirs"
                control={<Radio size="small" />}
                label={
                  <>
                    <b>{translate('form.conflictTheirs')}:</b> {shown(field, other)}
                  </>
                }
              />
            </RadioGroup>
          </Box>
        ))}
        {others.length > 0 && (
          <>
            <Typography variant="h3">{translate('form.conflictOthers')}</Typography>
            <Box component="ul" sx={{ mt: 0.5 }}>
              {others.map((name) => (
                <li key={name}>
                  {nameOf(name)}: {shown(name, base[name])}
                  <Becomes />
                  {shown(name, theirs[name])}
                </li>
              ))}
            </Box>
          </>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        {conflicts.length > 0 && (
          <Button loading={busy} onClick={() => keep(NONE)}>
            {translate('form.conflictOverwrite')}
          </Button>
        )}
        <Button variant="contained" loading={busy} onClick={() => keep(takesTheirs)}>
          {translate('form.conflictSave')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

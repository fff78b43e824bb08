/** The conditions of a field: while a rule holds for an item, the field is hidden, needed or only read. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Control } from './control.tsx';
import { RuleEditor } from './rule-editor.tsx';

export interface ConditionsEditorProps {
  readonly collection: string;
  readonly value: unknown;
  readonly onChange: (conditions: readonly Item[] | null) => void;
}

interface Entry {
  readonly id: number;
  readonly item: Item;
  /** Whether it was added here, and not stored before. */
  readonly isNew: boolean;
}

const EFFECTS = ['hidden', 'readonly', 'required'] as const;

export function ConditionsEditor({ collection, value, onChange }: ConditionsEditorProps) {
  const translate = useTranslate();
  const ids = useRef(0);
  const withId = (item: Item, isNew: boolean): Entry => {
    ids.current += 1;
    return { id: ids.current, item, isNew };
  };
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    (Array.isArray(value) ? value : []).filter(isItem).map((item) => withId(item, false)),
  );
  const take = (next: readonly Entry[]) => {
    setEntries(next);
    onChange(next.length === 0 ? null : next.map(({ item }) => item));
  };
  const set = (id: number, change: Item) =>
    take(
      entries.map((one) => (one.id === id ? { ...one, item: { ...one.item, ...change } } : one)),
    );
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      {entries.map(({ id, item, isNew }, place) => (
        <Paper
          key={id}
          variant="outlined"
          role="group"
          aria-label={translate('model.conditionAt', { place: place + 1 })}
          sx={{ p: 2, display: 'grid', gap: 1.5 }}
        >
          <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
            <TextField
              label={translate('model.conditionName')}
              value={typeof item.name === 'string' ? item.name : ''}
              onChange={({ target }) => set(id, { name: target.value })}
            />
            <Button
              color="error"
              onClick={() => take(entries.filter((one) => one.id !== id))}
              sx={{ flexShrink: 0 }}
            >
              {translate('model.removeRow')}
            </Button>
          </Box>
          <RuleEditor
            collection={collection}
            rule={isItem(item.rule) ? item.rule : null}
            required={isNew}
            onChange={(rule) => set(id, { rule: rule ?? {} })}
          />
          <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 3 }}>
            {EFFECTS.map((effect) => (
              <Control
                key={effect}
                spec={{ name: effect, kind: 'switch', label: `model.effect.${effect}` }}
                value={item[effect]}
                onChange={(on) => set(id, { [effect]: on })}
              />
            ))}
          </Box>
        </Paper>
      ))}
      <Box>
        <Button
          size="small"
          startIcon={<Icon name="add" />}
          onClick={() => take([...entries, withId({ name: '', rule: {} }, true)])}
        >
          {translate('model.addCondition')}
        </Button>
      </Box>
    </Box>
  );
}

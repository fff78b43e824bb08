/** A rule in the notation of filters, edited by clicking. */
import FormHelperText from '@mui/material/FormHelperText';
import { useContext, useState } from 'react';
import type { Filter } from '../data/schema-types.ts';
import { FilterEditor } from '../filter/filter-editor.tsx';
import {
  countConditions,
  type Group,
  hasIncomplete,
  readFilter,
  writeFilter,
} from '../filter/filter-tree.ts';
import { MarksIncompleteContext } from '../filter/purpose.ts';
import { useReportUnfinished } from '../filter/unfinished.ts';
import { useTranslate } from '../translation/use-translate.ts';

export interface RuleEditorProps {
  readonly collection: string;
  readonly rule: Filter | null;
  /** Whether it needs a condition, because without one it always holds. */
  readonly required?: boolean;
  readonly onChange: (rule: Filter | null) => void;
}

export function RuleEditor({ collection, rule, required = false, onChange }: RuleEditorProps) {
  const translate = useTranslate();
  const [draft, setDraft] = useState(() => readFilter(rule));
  const marks = useContext(MarksIncompleteContext);
  const isEmpty = required && draft.members.length === 0;
  useReportUnfinished(hasIncomplete(draft) || (required && countConditions(draft) === 0));
  const take = (next: Group) => {
    setDraft(next);
    onChange(writeFilter(next));
  };
  return (
    <div data-unfinished={isEmpty || undefined}>
      <FilterEditor collection={collection} filter={draft} onChange={take} />
      {isEmpty && marks && (
        <FormHelperText error sx={{ mx: 0 }}>
          {translate('filter.conditionMissing')}
        </FormHelperText>
      )}
    </div>
  );
}

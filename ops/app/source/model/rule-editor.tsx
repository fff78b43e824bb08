/** A rule in the notation of filters, edited by clicking. */
import { useState } from 'react';
import type { Filter } from '../data/schema-types.ts';
import { FilterEditor } from '../filter/filter-editor.tsx';
import { type Group, readFilter, writeFilter } from '../filter/filter-tree.ts';

export interface RuleEditorProps {
  readonly collection: string;
  readonly rule: Filter | null;
  readonly onChange: (rule: Filter | null) => void;
}

export function RuleEditor({ collection, rule, onChange }: RuleEditorProps) {
  const [draft, setDraft] = useState(() => readFilter(rule));
  const take = (next: Group) => {
    setDraft(next);
    onChange(writeFilter(next));
  };
  return <FilterEditor collection={collection} filter={draft} onChange={take} />;
}

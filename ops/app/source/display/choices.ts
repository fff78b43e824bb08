/** The values that a field offers (`options.choices`, or an enumeration), with the texts for them. */
import type { Field } from '../data/schema-types.ts';

export interface Choice {
  readonly text: string;
  readonly value: string | number | boolean;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The choices of a field; none for a field whose values are free. */
export function choicesOf({ meta, schema }: Pick<Field, 'meta' | 'schema'>): readonly Choice[] {
  const choices = meta?.options?.choices;
  if (!Array.isArray(choices)) {
    return (schema?.enum_values ?? []).map((value) => ({ text: value, value }));
  }
  return choices.flatMap((choice: unknown) => {
    if (isScalar(choice)) return [{ text: String(choice), value: choice }];
    if (typeof choice !== 'object' || choice === null || !('value' in choice)) return [];
    const { value } = choice;
    if (!isScalar(value)) return [];
    const text = 'text' in choice && typeof choice.text === 'string' ? choice.text : String(value);
    return [{ text, value }];
  });
}

/** Leads to the first field of a form that has to be looked at. */

const FOCUSABLE =
  'input:not([type=hidden]):not([hidden]), textarea, select, button, [tabindex="0"]';

/** Puts the focus into the first of these fields, in the order of the form. */
export function focusFault(form: HTMLElement | null, fields: readonly string[]): void {
  const wanted = new Set(fields);
  // Groups with a fault in them open first.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const places = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
      const first = places.find(({ dataset }) => wanted.has(dataset.field ?? ''));
      const control = first?.querySelector<HTMLElement>(FOCUSABLE);
      first?.scrollIntoView({ block: 'center' });
      control?.focus();
    }),
  );
}

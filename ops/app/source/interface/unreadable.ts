/** Marks the controls whose text is no value yet, such as a minus or half of a JSON document. */

/** The attributes of such a control. */
export function unreadable(is: boolean) {
  return is ? { 'data-unreadable': true } : {};
}

/** The first such control below an element; null when every text is a value. */
export function unreadableWithin(element: HTMLElement | null): HTMLElement | null {
  return element?.querySelector<HTMLElement>('[data-unreadable]') ?? null;
}

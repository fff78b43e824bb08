/**
 * Gives the focus a new place when what had it goes away or is switched off: a row that is taken out, a
 * button that becomes another one or waits for an answer, the opener of a dialog. Otherwise it would
 * fall to the page, and who works by keyboard or hears the screen would begin anew at its top.
 */
const TABBABLE =
  'a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled, [tabindex]';
/** What lies over the screen and holds the focus meanwhile: dialogs, menus. */
const LAYER = '.MuiModal-root, .MuiPopper-root';

/** Where something was before it was taken away. */
interface Place {
  readonly parent: Node;
  readonly after: Node | null;
  readonly before: Node | null;
  /** Which of the controls in what was taken away it was. */
  readonly index: number;
}

/** The last focus in the screen, or in what lies over it. */
interface Spot {
  readonly layer: Element;
  readonly pathname: string;
  readonly element: Element;
  place: Place | null;
  /** Whether it was taken away or switched off: what has let go of the focus itself stays without. */
  lost: boolean;
}

function tabbables(node: Node): HTMLElement[] {
  if (!(node instanceof HTMLElement)) return [];
  const all = [node, ...node.querySelectorAll<HTMLElement>('*')];
  return all.filter(
    (one) =>
      one.matches(TABBABLE) && one.tabIndex >= 0 && (!one.isConnected || one.checkVisibility()),
  );
}

function isOff(element: Element): boolean {
  return element.matches(':disabled, .Mui-disabled');
}

/** A button that waits for an answer comes back. */
function waits(element: Element): boolean {
  return (
    element.isConnected &&
    isOff(element) &&
    element.matches('.MuiButton-loading, .MuiIconButton-loading')
  );
}

/** The control that is nearest to a place: in what follows it, in what precedes it, or around it. */
function nearest({ parent, after, before, index }: Place, layer: Element): HTMLElement | null {
  for (let next = after; next !== null; next = next.nextSibling) {
    const found = tabbables(next);
    const one = found[Math.min(index, found.length - 1)];
    if (one !== undefined) return one;
  }
  for (let previous = before; previous !== null; previous = previous.previousSibling) {
    const found = tabbables(previous);
    const one = found[Math.min(index, found.length - 1)];
    if (one !== undefined) return one;
  }
  if (parent === layer || parent.parentNode === null) return null;
  return nearest(placeOf(parent), layer);
}

function placeOf(node: Node): Place {
  const { nextSibling: after, previousSibling: before, parentNode } = node;
  return { parent: parentNode ?? node, after, before, index: 0 };
}

/** The nearest part of a place that is still there. */
function surviving(place: Place): Place | null {
  const after = place.after?.isConnected ? place.after : null;
  const before = place.before?.isConnected ? place.before : null;
  if (place.parent.isConnected) return { ...place, after, before };
  return null;
}

function successor({ element, layer, place }: Spot): HTMLElement | null {
  if (element.isConnected && !isOff(element))
    return element instanceof HTMLElement ? element : null;
  const known = element.isConnected ? placeOf(element) : place && surviving(place);
  return known && nearest(known, layer);
}

function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

/** Begins to watch over the focus of the whole page. */
export function keepFocus(): void {
  const root = document.body;
  let spots: readonly Spot[] = [];
  let byPointer = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const note = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    const layer = target.closest(LAYER) ?? root;
    const below = spots.findIndex((spot) => spot.layer === layer);
    const kept = below < 0 ? spots : spots.slice(0, below);
    spots = [
      ...kept,
      { layer, pathname: location.pathname, element: target, place: null, lost: false },
    ];
  };
  const restore = () => {
    if (!isLost() || byPointer) return;
    const spot = spots.findLast(({ layer }) => layer.isConnected);
    // What lay over it is gone, such as a menu that had opened a dialog.
    const isOpener = spot !== spots.at(-1);
    if (spot === undefined || waits(spot.element) || !(spot.lost || isOpener)) return;
    const isHere = spot.pathname === location.pathname;
    const next = (isHere ? successor(spot) : null) ?? document.querySelector<HTMLElement>('main');
    next?.focus();
  };
  const observer = new MutationObserver((records) => {
    let concerned = false;
    for (const { type, target, removedNodes, nextSibling, previousSibling } of records) {
      for (const spot of spots) {
        if (type === 'attributes') {
          if (target !== spot.element) continue;
          spot.lost ||= isOff(spot.element);
          concerned = true;
          continue;
        }
        // A button that has waited may stay switched off: its sign of waiting goes.
        concerned ||= spot.lost && spot.element.contains(target);
        // What was around it may go after it.
        const lost = spot.place?.parent ?? spot.element;
        const gone = [...removedNodes].find((node) => node.contains(lost));
        if (gone === undefined) continue;
        const index = Math.max(
          0,
          tabbables(gone).findIndex((one) => one.isSameNode(spot.element)),
        );
        spot.place = { parent: target, after: nextSibling, before: previousSibling, index };
        spot.lost = true;
        concerned = true;
      }
    }
    if (!concerned) return;
    clearTimeout(timer);
    // A new screen, or a dialog that closes, places the focus itself.
    timer = setTimeout(restore, 40);
  });
  document.addEventListener('focusin', note);
  document.addEventListener(
    'keydown',
    () => {
      byPointer = false;
    },
    true,
  );
  document.addEventListener(
    'pointerdown',
    () => {
      byPointer = true;
    },
    true,
  );
  observer.observe(root, {
    ...{ subtree: true, childList: true, attributes: true },
    attributeFilter: ['disabled'],
  });
}

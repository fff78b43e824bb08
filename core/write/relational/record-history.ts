/** Records the changes of a payload in history: a parent item first, then its nested items. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { History } from '../history/history.ts';
import { type Row, VALUE_PENDING } from '../payload.ts';
import { writtenNodes } from './check-and-prepare.ts';
import { keyOfRow, type RowNode, type Work } from './work.ts';

/** The receiver of recorded changes. */
export type Recorder = Pick<History, 'record'>;

/** The revision of each row's parent item. */
type Parents = ReadonlyMap<RowNode, number>;

function isStored(collection: Collection, name: string): boolean {
  return collection.fields.get(name)?.column != null;
}

/** The value of a column that was determined after preparation. */
function laterValue(row: Row, name: string): string | null {
  for (const [field, text] of row) if (field.name === name) return text;
  return null;
}

/** The written members, including values that were determined after preparation. */
export function deltaOf(
  collection: Collection,
  { stored, row }: Pick<RowNode, 'stored' | 'row'>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(stored);
  if (names.every((name) => isStored(collection, name) && stored[name] !== VALUE_PENDING))
    return stored;
  const members: [string, unknown][] = [];
  for (const name of names) {
    // A member without a column was not written, and may have any value.
    if (!isStored(collection, name)) continue;
    const value = stored[name];
    members.push([name, value === VALUE_PENDING ? laterValue(row, name) : value]);
  }
  return Object.fromEntries(members);
}

async function tellNodes(
  history: Recorder,
  work: Work,
  parents: Parents,
): Promise<ReadonlyMap<RowNode, number>> {
  const revisions = new Map<RowNode, number>();
  for (const action of ['create', 'update'] as const) {
    const nodes = writtenNodes(work, action);
    const deeds = nodes.map((node) => ({
      key: keyOfRow(node),
      delta: deltaOf(work.write.collection, node),
      parent: parents.get(node) ?? null,
    }));
    const ids = await history.record(work.write.collection, action, deeds);
    for (const [index, id] of ids.entries()) {
      const node = nodes[index];
      if (node !== undefined) revisions.set(node, id);
    }
  }
  return revisions;
}

async function tellDeleted(history: Recorder, { write, nodes }: Work): Promise<void> {
  const deeds = nodes.map((node) => ({ key: keyOfRow(node), delta: {}, parent: null }));
  await history.record(write.collection, 'delete', deeds);
}

/** Records a completed piece of work, with all levels below it. */
export async function recordHistory(
  history: Recorder,
  work: Work,
  parents: Parents = new Map(),
): Promise<void> {
  const revisions = await tellNodes(history, work, parents);
  const parentsOf = (pairs: readonly { owner: RowNode; related: RowNode }[]) =>
    new Map(
      pairs.flatMap(({ owner, related }) => {
        const revision = revisions.get(owner);
        return revision === undefined ? [] : [[related, revision] as const];
      }),
    );
  for (const { pairs, work: targets } of work.toOne) {
    const found = parentsOf(pairs.map(({ owner, target }) => ({ owner, related: target })));
    await recordHistory(history, targets, found);
  }
  for (const { step, pairs, taken, work: children } of work.toMany) {
    if (step.relation.deselect === 'delete') await tellDeleted(history, taken);
    else await recordHistory(history, taken);
    const found = parentsOf(pairs.map(({ owner, child }) => ({ owner, related: child })));
    await recordHistory(history, children, found);
  }
}

/** Saves the draft of a part of the schema, which is a job for each of its changes. */
import type { Draft, Stored } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import type { Change } from './change.ts';
import { useMaking, type Work } from './use-change.ts';

interface SchemaSending<S> extends Sending<S> {
  /** Accepts that values are lost. */
  readonly force: boolean;
}

export interface SchemaSave<S extends Stored<object>> {
  readonly draft: Draft<S>;
  /** Reads what is stored now; null for what is made. */
  readonly readLatest: (() => Promise<S>) | null;
  readonly changesOf: (sending: Sending<S>) => readonly Change[];
  readonly onSaved: (sending: Sending<S>) => void | Promise<void>;
}

export function useSchemaSave<S extends Stored<object>>(target: SchemaSave<S>) {
  const { draft, readLatest, changesOf, onSaved } = target;
  const { make, ...progress } = useMaking();
  const { mutate, variables, isPending, error, reset, conflict, setConflict } = useSave({
    send: (sending: SchemaSending<S>) => make(changesOf(sending), sending.force),
    readLatest: async () => readLatest?.() ?? draft.base,
    readsFirst: readLatest !== null,
    onSaved: (_, sending) => onSaved(sending),
  });
  const force = () => variables !== undefined && mutate({ ...variables, force: true });
  const work: Work = { ...progress, isPending, error, reset, force };
  const send = (sending: Sending<S>) => mutate({ ...sending, force: false });
  const save = () => send({ changes: draft.changes, base: draft.base });
  return { work, send, save, conflict, setConflict };
}

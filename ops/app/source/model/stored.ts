/** What is stored now of the object that a change is made to: somebody else may have changed it meanwhile. */
import { client } from '../data/client.ts';
import { pathOf } from './change.ts';

export interface Stored<Value> {
  readonly value: Value;
  /** For `If-Match`. */
  readonly tag: string | null;
}

export async function readStored<Value>(...path: readonly string[]): Promise<Stored<Value>> {
  const answer = await client.open('GET', pathOf(...path));
  const { data }: { readonly data: Value } = await answer.json();
  return { value: data, tag: answer.headers.get('etag') };
}

/** The screen shows what has been changed, and asks. */
export class ChangedMeanwhile extends Error {}

/** What a job is called: its kind, and what it is about. */
import type { Job } from '../../../client/source/index.ts';
import { humanize } from '../translation/names.ts';

type Translate = (key: string, options?: { readonly _?: string }) => string;

export function kindName(kind: string, translate: Translate): string {
  return translate(`operations.kind.${kind}`, { _: humanize(kind.replaceAll(/[.-]/g, '_')) });
}

/** The file, the collection, or nothing. */
export function aboutJob({ file_name, collection }: Job): string {
  return [file_name, collection].filter((part) => part !== null).join(' › ');
}

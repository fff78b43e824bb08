/** What a reason of failures is called in a chart: its text without what it tells of a single job. */
import { humanize } from '../translation/names.ts';

type Translate = (key: string, options?: Readonly<Record<string, unknown>>) => string;

/** @param reason the name of a reason, or the code of an error */
export function reasonName(reason: string, translate: Translate): string {
  const text =
    translate(`reason.${reason}`, { _: '' }) || translate(`fault.code.${reason}`, { _: '' });
  return text === '' ? humanize(reason.toLowerCase()) : text.replaceAll(/%\{\w+\}/g, '…');
}

/** What the server knows of a file. */
import { useQuery } from '@tanstack/react-query';
import { useRights } from '../data/queries.ts';
import type { Item } from '../data/schema-types.ts';
import { formatBytes } from '../display/format.ts';
import { personName } from '../display/person.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { Facts } from '../shell/facts.tsx';
import { Part } from '../shell/part.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { filePeopleQuery } from './file-query.ts';

export function FileFacts({ file }: { readonly file: Item }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const people = useQuery(filePeopleQuery(String(file.id), useRights())).data;
  const time = (value: unknown) =>
    typeof value === 'string' ? formatDate('timestamp', value) : null;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const { width, height, filesize, duration } = file;
  const facts = {
    type: text(file.type),
    size:
      filesize === null || filesize === undefined ? null : formatBytes(Number(filesize), locale),
    dimensions: Number(width ?? 0) > 0 ? `${width} × ${height}` : null,
    duration: typeof duration === 'number' ? translate('files.seconds', { duration }) : null,
    added: time(file.created_on),
    addedBy: personName(people?.uploaded_by),
    changed: time(file.modified_on),
    changedBy: personName(people?.modified_by),
    storage: text(file.storage),
    key: text(file.id),
    sha256: text(file.sha256),
  };
  return (
    <Part title={translate('files.facts')}>
      <Facts
        facts={Object.entries(facts).map(([name, value]) => ({
          name: translate(`files.${name}`),
          value,
        }))}
      />
    </Part>
  );
}

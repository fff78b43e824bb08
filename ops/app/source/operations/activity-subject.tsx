/** What an entry of the activity is about: the item by its name where it can be read, else by its key. */
import { Link } from 'react-router-dom';
import { useCollections } from '../data/queries.ts';
import { useItemNames } from '../display/use-item-names.ts';
import { humanize } from '../translation/names.ts';
import { activityPath, isOfJob, type ActivitySubject as Subject } from './activity-path.ts';

interface ActivitySubjectProps {
  readonly subject: Subject;
  /** All entries that are shown: the items of a collection are read at once. */
  readonly beside: readonly Subject[];
}

export function ActivitySubject({ subject, beside }: ActivitySubjectProps) {
  const collections = useCollections();
  const { collection, item } = subject;
  const path = activityPath(subject, (name) => collections.has(name));
  const known = collections.has(collection) ? collection : '';
  const keys = beside.filter((one) => one.collection === known && one.item !== '' && !isOfJob(one));
  const names = useItemNames(known, [...new Set(keys.map((one) => one.item))]);
  const name = isOfJob(subject) ? '' : names.get(item) || item;
  const text = `${humanize(collection)} ${name}`.trim();
  return path === null ? text : <Link to={path}>{text}</Link>;
}

/** One file as its screen shows and changes it. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Item, Rights } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';
import { FILES, readable } from './library-query.ts';

/** The fields that the form changes. */
const EDITED = [
  ...['title', 'description', 'tags', 'location', 'filename_download', 'folder'],
  ...['focal_point_x', 'focal_point_y'],
];

const TOLD = [
  ...['id', 'type', 'filesize', 'width', 'height', 'duration', 'storage', 'sha256'],
  ...['created_on', 'modified_on'],
];

/** What of the people is shown. */
const PEOPLE = ['uploaded_by', 'modified_by'].flatMap((field) =>
  ['first_name', 'last_name', 'email'].map((name) => [field, `${field}.${name}`] as const),
);

export const fileQuery = (id: string, rights: Rights) => {
  const fields = readable(rights, TOLD);
  return queryOptions({
    queryKey: ['items', FILES, 'one', id, fields],
    queryFn: ({ signal }): Promise<Item> => client.items(FILES).get(id, { fields }, { signal }),
  });
};

/** Who uploaded and changed it, for those who may read users. */
export const filePeopleQuery = (id: string, rights: Rights) => {
  const readsUsers = rights.system_users?.read?.access === 'full';
  const fields = PEOPLE.flatMap(([field, path]) =>
    readable(rights, [field]).length > 0 ? [path] : [],
  );
  return queryOptions({
    queryKey: ['items', FILES, 'one', id, fields],
    queryFn: ({ signal }): Promise<Item> => client.items(FILES).get(id, { fields }, { signal }),
    enabled: readsUsers && fields.length > 0,
  });
};

export const fileFormQuery = (id: string, rights: Rights) => {
  const fields = readable(rights, EDITED);
  return queryOptions({
    queryKey: ['items', FILES, 'one', id, 'form', fields],
    queryFn: async ({ signal }): Promise<Stored> => {
      const { data, tag } = await client.items(FILES).getWithTag(id, { fields }, { signal });
      return { item: data, tag };
    },
  });
};

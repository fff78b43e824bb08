/** The writes of single items that are measured: the request, the caller and the goal. */

/** How much history is kept. */
export type History = 'all' | null;

type Form = 'create' | 'nested' | 'update' | 'delete';

/** Whether a commit waits until it is on the disk. */
export type Commits = 'cheap' | 'durable';

export interface WriteRequest {
  readonly id: string;
  readonly title: string;
  readonly form: Form;
  readonly history: History;
  readonly commits: Commits;
  /** A member is compared with an administrator, who is compared with the baseline. */
  readonly by: 'admin' | 'member';
  /**
   * What an administrator is compared with: a handler that checks the payload, or one that hands its
   * text to PostgreSQL and the text of the answer to the client.
   */
  readonly against: 'checking' | 'lean';
  readonly connections: number;
  readonly goal: number;
}

export const ITEM = { title: 'A title', status: 'draft', views: 7, body: 'word '.repeat(40) };
export const CHANGE = { title: 'Another title', views: 8 };
const NESTED = {
  ...ITEM,
  writer: { name: 'A writer', email: 'writer@example.com' },
  notes: [{ body: 'one' }, { body: 'two' }, { body: 'three' }],
};

/** The body of each request, and its route in the baseline. */
export const FORMS = {
  create: { method: 'POST', body: ITEM, handler: 'flat', keyed: false },
  nested: { method: 'POST', body: NESTED, handler: 'nested', keyed: false },
  update: { method: 'PATCH', body: CHANGE, handler: 'flat', keyed: true },
  delete: { method: 'DELETE', body: undefined, handler: 'flat', keyed: true },
} as const satisfies Record<Form, unknown>;

const TITLES: Readonly<Record<Form, string>> = {
  create: 'create one item',
  nested: 'create an item and 4 related ones',
  update: 'update one item by key',
  delete: 'delete one item by key',
};

function request(
  [form, history, goal]: readonly [Form, History, number],
  given: Partial<Pick<WriteRequest, 'by' | 'against' | 'commits' | 'connections'>> = {},
): WriteRequest {
  const { by = 'admin', against = 'checking', commits = 'cheap', connections = 32 } = given;
  const words = [
    form,
    ...(history === null ? ['bare'] : []),
    ...(by === 'admin' ? [] : [by]),
    ...(against === 'checking' ? [] : [against]),
    ...(commits === 'cheap' ? [] : [commits]),
    ...(connections === 32 ? [] : [String(connections)]),
  ];
  const title = [
    TITLES[form],
    ...(history === null ? ['no history'] : []),
    ...(by === 'admin' ? [] : ['as a member, compared with an administrator']),
    ...(against === 'checking' ? [] : ['compared with JSON made by PostgreSQL']),
    ...(commits === 'cheap' ? [] : ['on the disk']),
    ...(connections === 32 ? [] : [`${connections} at once`]),
  ];
  const id = `write/${words.join('-')}`;
  return { id, title: title.join(', '), form, history, commits, by, against, connections, goal };
}

export const REQUESTS: readonly WriteRequest[] = [
  request(['create', 'all', 0.9]),
  request(['create', null, 0.9]),
  request(['nested', 'all', 0.9]),
  request(['nested', null, 1]),
  request(['update', 'all', 0.9]),
  request(['update', null, 0.9]),
  request(['delete', 'all', 0.9]),
  request(['delete', null, 0.9]),
  request(['create', 'all', 0.8], { against: 'lean' }),
  request(['create', null, 0.75], { against: 'lean' }),
  request(['update', 'all', 0.85], { against: 'lean' }),
  request(['update', null, 0.8], { against: 'lean' }),
  request(['create', 'all', 0.85], { by: 'member' }),
  request(['nested', 'all', 0.85], { by: 'member' }),
  request(['update', 'all', 0.85], { by: 'member' }),
  request(['create', 'all', 0.9], { commits: 'durable' }),
  request(['create', 'all', 0.5], { commits: 'durable', connections: 1 }),
  request(['nested', null, 1], { commits: 'durable' }),
  request(['update', 'all', 0.9], { commits: 'durable' }),
];

/** Random societies over a world. */
import { brokenPart } from '../generate/broken.ts';
import { condition } from '../generate/condition.ts';
import type { Dice } from '../generate/dice.ts';
import { USERS, pool as values } from '../generate/values.ts';
import { type Json, relationsOf, type Table, tableOf, type World } from '../model.ts';
import { writable } from './random-write.ts';
import type { Access, Permission, Person, Role, Society } from './society.ts';

const [ANN, EDITOR, STAFF] = USERS;
/** A person without a role. */
const BOB = 'a1b2c3d4-0000-4000-8000-00000000000b';
const POLICIES = [1, 2, 3, 4, 5].map((digit) =>
  digit === 1 ? STAFF : `dddddddd-0000-4000-8000-00000000000${digit}`,
);

/** A rule is no URL: there an operator that asks for nothing else has to be true or false. */
function typed(value: Json): Json {
  if (Array.isArray(value)) return value.map(typed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    const isFlag = /^_n?(null|empty)$/.test(name);
    return [name, isFlag && member === '' ? true : typed(member)];
  });
  return Object.fromEntries(members);
}

/** Which items: often all of them, or most. */
function rule(dice: Dice, world: World, table: Table): Json {
  const chance = dice.int(1, 100);
  if (chance <= 20) return null;
  if (chance <= 27) return {};
  // Short ones: each is compiled again for each field that it decides about.
  const part = (): Json => {
    const depth = dice.pick([0, 0, 1, 1, 2]);
    const [first] = Object.entries(condition({ dice, world, depth, exact: true }, table));
    return first === undefined ? {} : typed(Object.fromEntries([first]));
  };
  return dice.chance(50) ? { _or: [part(), part()] } : part();
}

function fields(dice: Dice, world: World, table: Table): string | null {
  if (dice.chance(25)) return '*';
  if (dice.chance(4)) return dice.pick([null, '']);
  const others = [
    ...table.columns.map(({ name }) => name),
    ...relationsOf(world, table.name).map(({ field }) => field),
  ];
  const some = others.filter(() => dice.chance(65));
  const key = table.key.length > 0 ? table.key : [table.columns[0]?.name ?? ''];
  return [...new Set(dice.chance(85) ? [...key, ...some] : some)].join(',');
}

const JUDGED = new Set(['string', 'text', 'integer', 'boolean', 'uuid']);

/** What a payload has to meet, seldom. */
function validation(dice: Dice, table: Table): Json {
  const judged = writable(table).filter(({ type }) => JUDGED.has(type));
  if (judged.length === 0 || !dice.chance(25)) return null;
  const column = dice.pick(judged);
  const one = () => dice.pick(values(column));
  return {
    [column.name]: dice.pick<Json>([
      { _nnull: true },
      { _in: [one(), one(), one(), one()] },
      { _eq: one() },
    ]),
  };
}

/** Values for what a payload leaves out, seldom. */
function presets(dice: Dice, table: Table): Json {
  const columns = writable(table);
  if (columns.length === 0 || !dice.chance(30)) return null;
  const column = dice.pick(columns);
  const isPerson = column.type === 'uuid' && dice.chance(60);
  return { [column.name]: isPerson ? '$CURRENT_USER' : dice.pick(values(column)) };
}

/** Rules that got into the database without being complete conditions. */
function withBroken(dice: Dice, world: World, all: readonly Permission[]): Permission[] {
  return all.map((row) => {
    const broken = () => {
      const part = Object.fromEntries([brokenPart(dice, world, tableOf(world, row.collection))]);
      return dice.chance(50) ? part : { _and: [part, row.permissions ?? {}] };
    };
    if (dice.chance(5)) return { ...row, permissions: broken() };
    const given = row.action === 'create' || row.action === 'update';
    return given && dice.chance(3) ? { ...row, validation: broken() } : row;
  });
}

const ACTIONS = ['read', 'create', 'update', 'delete'];

function permissions(dice: Dice, world: World): Permission[] {
  return ACTIONS.flatMap((action) =>
    world.tables.flatMap((table) =>
      POLICIES.flatMap((policy) => {
        const count = dice.pick([0, 0, 1, 1, 1, 2]);
        const given = action === 'create' || action === 'update';
        return Array.from({ length: count }, () => ({
          policy,
          collection: table.name,
          action,
          permissions: rule(dice, world, table),
          validation: given ? validation(dice, table) : null,
          presets: given ? presets(dice, table) : null,
          fields: fields(dice, world, table),
        }));
      }),
    ),
  );
}

export function societyOf(dice: Dice, world: World): Society {
  const [first = '', ...others] = dice.some(POLICIES, 5, 5);
  const [second = '', third = '', fourth = ''] = others;
  const roles: Role[] = [
    { id: EDITOR, parent: dice.chance(75) ? STAFF : null },
    // A circle of roles is a mistake that nobody may pay for with an endless request.
    { id: STAFF, parent: dice.chance(20) ? EDITOR : null },
  ];
  const grants: Omit<Access, 'sort'>[] = [
    { policy: first, role: EDITOR, user: null },
    { policy: second, role: STAFF, user: null },
    { policy: third, role: null, user: null },
    { policy: fourth, role: null, user: BOB },
  ];
  if (dice.chance(30)) grants.push({ policy: third, role: null, user: ANN });
  if (dice.chance(30)) grants.push({ policy: first, role: null, user: BOB });
  const access = grants.map((entry, sort): Access => ({ ...entry, sort }));
  const persons: Person[] = [
    { user: ANN, role: EDITOR },
    { user: BOB, role: null },
    { user: null, role: null },
  ];
  const all = withBroken(dice.aside(), world, permissions(dice, world));
  return { policies: POLICIES, roles, access, permissions: all, persons };
}

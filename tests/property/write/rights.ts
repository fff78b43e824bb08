/** What somebody may do in a world, as the engine takes it and as the model reads it. */
import { FULL_RIGHTS, type PermissionRow, type Rights, rightsFrom } from '#core/access/rights.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Dice } from '#tests/harness/dice.ts';
import { TABLES, type Table } from './world.ts';

export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** One permission. */
export interface Allowed {
  /** Only rows with this flag. */
  readonly seen: boolean;
  /** Fields that it leaves out. */
  readonly without: readonly string[];
  readonly preset: string | null;
  /** Refuses payloads with the name `bad`. */
  readonly strict: boolean;
}

/** By `action table`; null: administrators. */
export type Permits = ReadonlyMap<string, Allowed> | null;

export function permitName(action: Action, table: Table): string {
  return `${action} ${table}`;
}

const FIELDS = [
  'mark',
  'name',
  'n',
  'seen',
  'cx',
  'cy',
  'x',
  'y',
  'id',
  'b',
  'a',
  'above',
  'place',
];
const MORE = ['kind', 'item', 'as', 'below', 'ds', 'bs', 'aa', 'any', 'c_of_b'];

/** Chance gives most of the rights, so that payloads pass now and then. */
export function drawPermits(dice: Dice, lists: readonly string[]): Permits {
  if (dice.below(3) === 0) return null;
  const rare = () => dice.below(8) === 0;
  const found = new Map<string, Allowed>();
  for (const table of TABLES) {
    for (const action of ACTIONS) {
      if (dice.below(25) === 0) continue;
      const writes = action === 'create' || action === 'update';
      found.set(permitName(action, table), {
        seen: action !== 'create' && dice.below(4) === 0,
        without: writes && rare() ? [dice.pick(['n', 'b', 'a', ...lists])] : [],
        preset: writes && rare() ? `preset ${action}` : null,
        strict: writes && dice.below(3) === 0,
      });
    }
  }
  return found;
}

export function rightsOf(permits: Permits, lists: readonly string[]): Rights {
  if (permits === null) return FULL_RIGHTS;
  const rows = TABLES.flatMap((table) =>
    ACTIONS.flatMap((action): PermissionRow[] => {
      const allowed = permits.get(permitName(action, table));
      if (allowed === undefined) return [];
      const { seen, without, preset, strict } = allowed;
      const fields = new Set([...FIELDS, ...MORE, ...lists].filter((f) => !without.includes(f)));
      return [
        {
          collection: table,
          action,
          fields: without.length === 0 ? null : fields,
          rule: seen ? parseFilter({ seen: { _eq: true } }, 'rule') : null,
          validation: strict ? parseFilter({ name: { _neq: 'bad' } }, 'validation') : null,
          presets: preset === null ? {} : { name: preset },
        },
      ];
    }),
  );
  return rightsFrom(rows);
}

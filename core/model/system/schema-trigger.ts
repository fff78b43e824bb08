/**
 * An event trigger that reports DDL at once. Only a superuser can create it; without it, changes
 * are noticed within about a second.
 */
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import { identifier, literal, render, type Sql, sql } from '#core/database/sql.ts';
import { encode } from '#core/messaging/topic.ts';
import { systemTable } from './system-table.ts';

export interface SchemaTrigger {
  /** The schema of the system tables. */
  readonly schema: string;
  /** The channel of the message bus on PostgreSQL. */
  readonly channel: string;
}

const LONGEST_NAME = 63;

/** Each event with its trigger; event triggers belong to no schema. */
function triggersOf({ channel }: SchemaTrigger) {
  return [
    { event: sql`ddl_command_end`, name: `sluice_alter_${channel}`.slice(0, LONGEST_NAME) },
    { event: sql`sql_drop`, name: `sluice_drop_${channel}`.slice(0, LONGEST_NAME) },
  ];
}

/**
 * Temporary tables are ignored, because each import creates some. A failure here must not stop the
 * DDL.
 */
function bodyOf({ channel }: SchemaTrigger): string {
  const notice = sql`pg_notify(${literal(channel)}, ${literal(encode('schema.altered', {}))})`;
  return `
    BEGIN
      IF (CASE TG_EVENT
        WHEN 'sql_drop' THEN EXISTS (
          SELECT FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary)
        ELSE EXISTS (
          SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name IS DISTINCT FROM 'pg_temp')
      END) THEN
        PERFORM ${render(notice).text};
      END IF;
    EXCEPTION WHEN OTHERS THEN NULL;
    END`;
}

interface Found {
  readonly superuser: boolean;
  readonly triggers: number;
  /** The comment of the function that the triggers call; null when it does not exist. */
  readonly body: string | null;
}

async function look(client: Client, trigger: SchemaTrigger, call: Sql): Promise<Found> {
  const names = triggersOf(trigger).map(({ name }) => name);
  const { rows } = await client.query<Found>(
    render(sql`
      SELECT rolsuper AS superuser,
        (SELECT count(*)::int FROM pg_event_trigger WHERE evtname = ANY (${names}::text[]))
          AS triggers,
        (SELECT prosrc FROM pg_proc WHERE oid = to_regproc(${render(call).text})) AS body
      FROM pg_roles WHERE rolname = current_user`),
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the current role is not among the roles');
  return found;
}

/**
 * Installs or removes the event trigger when the role is a superuser. Does nothing when it is
 * already correct, or the role lacks the privilege.
 */
export async function settleSchemaTrigger(
  pool: Pool,
  trigger: SchemaTrigger,
  wanted: boolean,
): Promise<boolean> {
  const call = systemTable(trigger.schema, 'tell_schema_altered');
  const triggers = triggersOf(trigger);
  const body = bodyOf(trigger);
  return await transaction(pool, async (client) => {
    const found = await look(client, trigger, call);
    const whole = found.triggers === triggers.length;
    const settled = wanted ? whole && found.body === body : found.triggers === 0 && !found.body;
    if (settled || !found.superuser) return whole;
    for (const { name } of triggers) {
      await client.query(render(sql`DROP EVENT TRIGGER IF EXISTS ${identifier(name)}`));
    }
    await client.query(render(sql`DROP FUNCTION IF EXISTS ${call}()`));
    if (!wanted) return false;
    await client.query(
      render(sql`CREATE FUNCTION ${call}() RETURNS event_trigger LANGUAGE plpgsql
        SET search_path = pg_catalog AS ${literal(body)}`),
    );
    for (const { event, name } of triggers) {
      await client.query(
        render(sql`CREATE EVENT TRIGGER ${identifier(name)} ON ${event}
          EXECUTE FUNCTION ${call}()`),
      );
    }
    return true;
  });
}

/** Lists the statements of a schema change in order, without changing anything. */

import type { Client } from '#core/database/pool.ts';
import { identifier, literal, raw, render, Sql, sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { indexName } from './index-name.ts';
import type { Alteration } from './schema-change-context.ts';
import { schemaFailure } from './schema-failure.ts';

/** A value as text in a statement. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `ARRAY[${value.map(valueText).join(', ')}]`;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return render(literal(text)).text;
}

/** A statement on one line, with its parameters filled in. */
function statementText(statement: Sql): string {
  const { strings, values } = statement;
  const parts = strings.map((text, index) => {
    if (index >= values.length) return text;
    const value = values[index];
    return text + (value instanceof Sql ? statementText(value) : valueText(value));
  });
  return parts.join('');
}

/** Removes line breaks from our statements; those within quotes remain. */
function oneLine(text: string): string {
  return text
    .replace(
      /('(?:[^']|'')*'|"(?:[^"]|"")*")|\s+/g,
      (_, quoted: string | undefined) => quoted ?? ' ',
    )
    .trim();
}

export interface DryRunOptions {
  readonly catalog: Catalog;
  readonly system: string;
  readonly home: string;
  readonly force: boolean;
}

/**
 * Runs an operation and collects the statements that it would run.
 * @param client in a transaction that is rolled back afterwards; checks may write temporarily
 */
export async function dryRun(
  client: Client,
  options: DryRunOptions,
  work: (alteration: Alteration) => Promise<void>,
): Promise<string[]> {
  const statements: string[] = [];
  const run = async (statement: Sql) => {
    statements.push(oneLine(statementText(statement)));
  };
  await work({
    ...options,
    concurrently: false,
    ask: async (query) => {
      try {
        return (await client.query(render(query))).rows;
      } catch (error) {
        throw schemaFailure(error);
      }
    },
    run,
    write: async (statement) => {
      await run(statement);
      return [];
    },
    record: async () => undefined,
    lock: async () => undefined,
    index: ({ collection, field, table, unique }) => {
      const name = identifier(indexName(collection, field, unique ? 'unique' : 'index'));
      const place = identifier(table.schema, table.name);
      return run(
        sql`CREATE ${raw(unique ? 'UNIQUE ' : '')}INDEX ${name} ON ${place} (${identifier(field)})`,
      );
    },
  });
  return statements;
}

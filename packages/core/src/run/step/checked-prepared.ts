import type { Plugin, Prepared } from '../../agent/plugin/plugin.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { isPlainObject } from '../../kit/json.ts';

/**
 * Checks the contribution of a plugin's `prepare`, and marks its tools as the plugin's own; null for none.
 * @throws AgentError `hook-contract` for another shape, which would reach the model as `undefined` or not
 * at all.
 */
export function checkedPrepared(prepared: unknown, { id }: Plugin): Prepared | null {
  if (prepared === undefined || prepared === null) return null;
  if (!isPlainObject(prepared)) throw wrong(id, 'it gave something else');
  const { tools = null, context = null, instructions = null } = prepared;
  if (!isListOf(tools, ['name', 'description'])) throw wrong(id, 'its tools are no list of tools');
  if (!isListOf(context, ['name', 'content'])) throw wrong(id, 'its context is no list of { name, content }');
  if (instructions !== null && typeof instructions !== 'string')
    throw wrong(id, 'its instructions are no text');
  return {
    tools: ((tools ?? []) as readonly Tool[]).map((tool) => ({ ...tool, pluginId: id })),
    context: (context ?? []) as NonNullable<Prepared['context']>,
    instructions: instructions ?? '',
  };
}

function isListOf(list: unknown, texts: readonly string[]): boolean {
  if (list === null) return true;
  if (!Array.isArray(list)) return false;
  return list.every(
    (entry: unknown) => isPlainObject(entry) && texts.every((key) => typeof entry[key] === 'string'),
  );
}

function wrong(id: string, what: string): AgentError {
  return new AgentError(
    'hook-contract',
    `prepare of plugin ${JSON.stringify(id)} has to return { tools, context, instructions } or nothing; ${what}.`,
    { data: { pluginId: id } },
  );
}

import { checkDecision } from '@vitrine/core/internal/agent/approval-decision';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { describeIssues, parse } from '@vitrine/core/internal/agent/schema';
import type { Tool, ToolContext } from '@vitrine/core/internal/agent/tool';
import { inputSchema } from '@vitrine/core/internal/agent/tools';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import * as Id from '@vitrine/core/internal/graph/id';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { callGuarded } from '@vitrine/core/internal/kit/async';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { offerTools } from './model-context.ts';

/**
 * Offers the tools of an agent to the agents of the browser (WebMCP), by their names. A call belongs to no session: a
 * tool of a plugin, a tool without `execute`, and a change of the state are refused, and so is a call that a person
 * would have to approve. In browsers without WebMCP nothing happens.
 * @returns the function that takes the tools away
 */
export function offerAgentTools({ tools }: AgentDefinition): () => void {
  const ending = new AbortController();
  let takeAway = (): void => undefined;
  const usable = tools.filter(({ execute, pluginId }) => execute !== null && pluginId === null);
  void Promise.all(usable.map(async (tool) => ({ tool, schema: await schemaOf(tool) }))).then((described) => {
    if (ending.signal.aborted) return;
    takeAway = offerTools(
      described.flatMap(({ tool, schema }) =>
        schema === null
          ? []
          : [
              {
                name: tool.name,
                description: tool.description,
                inputSchema: schema,
                isReadOnly: false,
                execute: (input) => call(tool, toJson(input ?? {}), ending.signal),
              },
            ],
      ),
    );
  });
  return () => {
    ending.abort(new AgentError('tool-interrupted', 'The page has taken its tools away.'));
    takeAway();
  };
}

/** Null for a schema that cannot be expressed, of which the first run tells. */
async function schemaOf(tool: Tool): Promise<Awaited<ReturnType<typeof inputSchema>> | null> {
  return inputSchema(tool).catch(() => null);
}

/** Runs a call by the rules of a run. @throws AgentError with a sentence for the agent of the browser. */
async function call(tool: Tool, given: JsonValue, signal: AbortSignal): Promise<JsonValue> {
  const { name, timeoutMs } = tool;
  const input = await valid(tool, 'input', given);
  const ctx = contextOf(name, signal);
  const decision = checkDecision(await tool.needsApproval(input, ctx), name);
  if (decision.kind !== 'allow') {
    const why =
      decision.kind === 'deny' ? decision.reason : 'A person has to approve it in the chat of the page.';
    throw new AgentError('tool-rejected', `The call of ${JSON.stringify(name)} was rejected: ${why}`);
  }
  const author = `tool ${JSON.stringify(name)}`;
  const result = await callGuarded({ author, signal, timeoutMs }, () => tool.execute?.(input, ctx));
  return toJson(await valid(tool, 'output', result));
}

async function valid(tool: Tool, side: 'input' | 'output', value: unknown): Promise<unknown> {
  const schema = tool[side];
  if (schema === null) return value;
  const parsed = await parse(schema, value);
  if (parsed.ok) return parsed.value;
  const message = `Invalid ${side} of tool ${JSON.stringify(tool.name)}: ${describeIssues(parsed.issues)}`;
  throw new AgentError(`tool-${side}-invalid`, message, { data: { toolName: tool.name } });
}

function contextOf(name: string, signal: AbortSignal): ToolContext {
  const refuse = (): never => {
    const message = `Tool ${JSON.stringify(name)} changes the state of a session, which a call of the browser does not have.`;
    throw new AgentError('tool-failed', message, { data: { toolName: name } });
  };
  return {
    state: create(),
    signal,
    principal: null,
    toolCallId: Id.create(),
    plugin: refuse,
    own: refuse,
    update: refuse,
    report: () => undefined,
  };
}

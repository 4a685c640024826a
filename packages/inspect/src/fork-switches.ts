import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { of as hookStack } from '@vitrine/core/internal/agent/hook';
import { unlimited } from '@vitrine/core/internal/graph/execution-budget';
import type { Message } from '@vitrine/core/internal/graph/message';
import { compile } from '@vitrine/core/internal/graph/message-store';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { stateOf } from '@vitrine/core/internal/run/run';
import type { Feature } from '@vitrine/core/internal/run/slots';

/**
 * A part of an agent or of its conversation that a fork does without. `name` is that of the hook, plugin, tool or
 * setting, or the id of the message; compilers, budgets and formats of answers have none.
 */
export type ForkSwitch = {
  readonly kind: 'hook' | 'plugin' | 'compiler' | 'tool' | 'setting' | 'budget' | 'format' | 'message';
  readonly name?: string;
};

/** The changes of a fork that last: they hold for the agent and its subagents, and the state of the fork names them. */
export type ForkSwitches = {
  readonly without?: readonly ForkSwitch[];
  /** Ids of messages that the model is sent as they are in the state, whatever leaves them out or changes them. */
  readonly putBack?: readonly string[];
  /** Results in place of recorded ones, by the id of the call. */
  readonly results?: { readonly [toolCallId: string]: JsonValue };
  /** Other descriptions of tools, by name. */
  readonly descriptions?: { readonly [tool: string]: string };
  /** Idempotent tools that are called again, so that no limit cuts their results. */
  readonly whole?: readonly string[];
};

/** The switches that change anything. */
export function switchesOf({
  without,
  putBack,
  results,
  descriptions,
  whole,
}: ForkSwitches): readonly object[] {
  const given = [without, putBack, whole, results, descriptions];
  return given.filter((one) => one !== undefined && Object.keys(one).length > 0) as object[];
}

/** An agent and its subagents as the switches of a fork want them: the one place that obeys them. */
export function switchedAgent(agent: AgentDefinition, switches: ForkSwitches, depth = 0): AgentDefinition {
  if (switchesOf(switches).length === 0) return agent;
  const { without = [], descriptions = {}, whole = [] } = switches;
  const isOff = (kind: ForkSwitch['kind'], name?: string): boolean =>
    without.some((one) => one.kind === kind && one.name === name);
  const { llmConfig, plugins, subagents, subagentPolicy } = agent;
  const offHooks = new Set(plugins.flatMap(({ id, hooks }) => (isOff('plugin', id) ? hooks : [])));
  const withTools = <Owner extends Pick<AgentDefinition, 'tools'>>(owner: Owner): Owner => ({
    ...owner,
    tools: owner.tools
      .filter(({ name }) => !isOff('tool', name))
      .map((tool) => ({
        ...tool,
        description: Object.hasOwn(descriptions, tool.name) ? descriptions[tool.name] : tool.description,
        maxResultBytes: whole.includes(tool.name) ? Infinity : tool.maxResultBytes,
      })),
  });
  return {
    ...withTools(agent),
    plugins: plugins.filter(({ id }) => !isOff('plugin', id)).map(withTools),
    hooks: hookStack(agent.hooks.filter((hook) => !offHooks.has(hook) && !isOff('hook', hook.name))),
    compileMessages: isOff('compiler') ? null : agent.compileMessages,
    ...(isOff('format') ? { responseFormat: null, responseSchema: null } : {}),
    ...(isOff('budget') ? { budget: unlimited() } : {}),
    llmConfig: llmConfig && { ...llmConfig, settings: withoutSettings(llmConfig.settings, without) },
    subagents:
      depth >= subagentPolicy.maxDepth
        ? subagents
        : subagents.map((entry) => ({ ...entry, agent: switchedAgent(entry.agent, switches, depth + 1) })),
  };
}

/** Settings without those that a fork leaves at their default. */
export function withoutSettings(settings: JsonObject, without: readonly ForkSwitch[]): JsonObject {
  const off = without.flatMap(({ kind, name }) => (kind === 'setting' ? [name] : []));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !off.includes(name)));
}

/** Puts messages back into each request of the root, and leaves others out. */
export function chooseMessages({ without = [], putBack = [] }: ForkSwitches): Feature {
  const out = new Set(without.flatMap(({ kind, name }) => (kind === 'message' ? [name] : [])));
  if (out.size + putBack.length === 0) return () => ({});
  const back = new Set(putBack);
  return (run) =>
    run.path.length > 0
      ? {}
      : {
          aroundModel(call, next) {
            const messages = selectMessages(stateOf(run), call.request.messages, { out, back });
            const request = { ...call.request, messages };
            return next({ ...call, request, wire: request, conversation: null });
          },
        };
}

function selectMessages(
  state: AgentState,
  sent: readonly Message[],
  { out, back }: { readonly out: ReadonlySet<string | undefined>; readonly back: ReadonlySet<string> },
): readonly Message[] {
  const kept = sent.filter(({ id }) => !out.has(id) && !back.has(id));
  const places = new Map(kept.map(({ id }, index) => [String(id), index]));
  // Each message comes behind the one that it follows in the conversation.
  let at = kept.findIndex(({ role }) => role !== 'system');
  if (at < 0) at = kept.length;
  const added = new Map<number, Message[]>();
  for (const message of compile(state.context.store)) {
    const place = places.get(message.id);
    if (place !== undefined) at = place + 1;
    else if (back.has(message.id)) added.set(at, [...(added.get(at) ?? []), message]);
  }
  return [...kept, null].flatMap((message, index) => [
    ...(added.get(index) ?? []),
    ...(message === null ? [] : [message]),
  ]);
}

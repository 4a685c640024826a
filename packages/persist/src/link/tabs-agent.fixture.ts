import * as z from 'zod';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { text } from '@vitrine/core/internal/graph/message';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import type { SimulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';

/** The number of model calls, by the message that they answer and the results that they have. */
export type ModelCalls = ReadonlyMap<string, number>;

/**
 * The agent of a tab: answers and effects take simulated time, and a dead tab does nothing more. `calls` counts the
 * calls of its model.
 */
export function tabsAgent(
  time: SimulatedTime,
  effects: Map<string, number>,
  isDead: () => boolean,
  calls: Map<string, number> = new Map(),
): AgentDefinition {
  const input = z.object({});
  async function effect(callId: string): Promise<string> {
    await time.sleep(15);
    if (isDead()) return new Promise(() => undefined);
    effects.set(callId, (effects.get(callId) ?? 0) + 1);
    await time.sleep(15);
    return 'done';
  }
  const make = (name: string, needsApproval: boolean): ReturnType<typeof defineTool> =>
    defineTool({ name, description: '', input, needsApproval, execute: (_i, ctx) => effect(ctx.toolCallId) });
  const tools = [make('pay', true), make('note', false)];
  const inference = slowly(time, scriptedInference([(request) => countAndReply(request, calls)]), isDead);
  const kid = scriptedAgent([], { name: 'kid', tools, inference });
  return scriptedAgent([], { tools, subagents: [kid], inference });
}

const call = (name: string, input = {}): { name: string; input: object } => ({ name, input });
const replies: Readonly<Record<string, ScriptedStep>> = {
  talk: { text: 'Some words', chunks: 5 },
  edit: { text: 'Other words', chunks: 5 },
  pay: { toolCalls: [call('pay'), call('note')] as never },
  look: { text: 'Let me', toolCalls: [call('note'), call('note')] as never },
  kid: { toolCalls: [call('delegate', { agent: 'kid', task: 'pay' }), call('note')] as never },
};

function countAndReply(request: InferenceRequest, calls: Map<string, number>): ScriptedStep {
  const { messages } = request;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[at];
  const results = messages.slice(at).filter(({ role }) => role === 'tool').length;
  const key = `${asked === undefined ? '' : text(asked)}, ${results} results`;
  calls.set(key, (calls.get(key) ?? 0) + 1);
  return reply(request);
}

function reply({ messages }: InferenceRequest): ScriptedStep {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'tool') return { text: 'That is done', chunks: 3 };
  return replies[text(last).split(' ')[0] ?? ''] ?? { text: 'Well', chunks: 2 };
}

function slowly({ sleep }: SimulatedTime, client: InferenceClient, isDead: () => boolean): InferenceClient {
  return {
    async *stream(request, options) {
      for await (const event of client.stream(request, options)) {
        await sleep(8);
        if (isDead()) await new Promise(() => undefined);
        yield event;
      }
    },
  };
}

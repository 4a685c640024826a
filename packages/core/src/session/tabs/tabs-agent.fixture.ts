import * as z from 'zod';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { defineTool } from '../../agent/tool.ts';
import { text } from '../../graph/message.ts';
import type { InferenceClient, InferenceRequest } from '../../model/inference-client.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';
import { scriptedInference, type ScriptedStep } from '../../testing/scripted-inference.ts';
import type { SimulatedTime } from '../../testing/simulated-time.fixture.ts';

/** The agent of a tab: its answers and effects take simulated time, and nothing happens any more in a dead tab. */
export function tabsAgent(
  time: SimulatedTime,
  effects: Map<string, number>,
  isDead: () => boolean,
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
  const inference = slowly(time, scriptedInference([reply]), isDead);
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

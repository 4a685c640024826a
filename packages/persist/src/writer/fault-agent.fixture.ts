import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { text } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import type { SimulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';

/**
 * The key by which effects are counted: the message that requested the call, and its number among the calls.
 */
export const effectKey = (input: JsonValue): string => {
  const { words, slot } = input as { words: string; slot: number };
  return `${words} #${slot}`;
};

/** An agent whose tools have an effect 20 ms after they start, unless their page is gone by then. */
export function payingAgent(
  time: SimulatedTime,
  onEffect: (key: string) => void,
  isGone: () => boolean,
): AgentDefinition {
  const effect = async (key: string): Promise<string> => {
    await time.sleep(20);
    if (isGone()) return new Promise(() => undefined);
    onEffect(key);
    await time.sleep(20);
    return 'done';
  };
  const input = z.object({ words: z.string(), slot: z.number() });
  const make = (name: string, needsApproval: boolean): ReturnType<typeof defineTool> =>
    defineTool({ name, description: '', input, needsApproval, execute: (given) => effect(effectKey(given)) });
  const look = defineTool({
    name: 'look',
    description: '',
    input,
    effects: 'idempotent',
    execute: () => 'seen',
  });
  const tools = [make('pay', true), make('note', false), look];
  const inference = slowly(time, scriptedInference([reply]), isGone);
  const kid = scriptedAgent([], { name: 'kid', tools, inference });
  return scriptedAgent([], { tools, subagents: [kid], inference });
}

/** The reply of the model, which depends only on the last message. */
function reply({ messages: list }: InferenceRequest): ScriptedStep {
  const last = list.at(-1);
  if (last === undefined || last.role === 'tool') return { text: 'That is done', chunks: 3 };
  const words = text(last);
  const call = (slot: number, name: string): { name: string; input: JsonValue } => ({
    name,
    input: { words, slot },
  });
  const kid = { name: 'delegate', input: { agent: 'kid', task: `pay ${words}` } };
  const replies: Readonly<Record<string, ScriptedStep>> = {
    talk: { text: 'Some words', chunks: 4 },
    long: { text: 'x'.repeat(40_000), chunks: 4 },
    pay: { toolCalls: [call(1, 'pay'), call(2, 'note'), call(3, 'note')] },
    look: { text: 'Let me', toolCalls: [call(1, 'look'), call(2, 'note')] },
    ask: { toolCalls: [kid, call(2, 'note')] },
  };
  return replies[words.split(' ')[0] ?? ''] ?? { text: 'Well', chunks: 2 };
}

function slowly({ sleep }: SimulatedTime, client: InferenceClient, isGone: () => boolean): InferenceClient {
  return {
    async *stream(request, options) {
      for await (const event of client.stream(request, options)) {
        await sleep(10);
        if (isGone()) await new Promise(() => undefined);
        yield event;
      }
    },
  };
}

import {
  type AgentSession,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  type InferenceEvent,
} from '@vitrine/core';
import { fakeTool } from '@vitrine/core/testing';

const usage = { inputTokens: 1, outputTokens: 1 };

/** A session with a run of so many steps, each with a result of so many characters. */
export async function manySteps(steps: number, resultLength: number): Promise<AgentSession> {
  let taken = 0;
  const inference: InferenceClient = {
    async *stream(): AsyncGenerator<InferenceEvent> {
      const number = ++taken;
      const isLast = number > steps;
      if (isLast) yield { type: 'text-delta', delta: 'All steps are taken.' };
      else yield { type: 'tool-call', toolCallId: `call-${number}`, toolName: 'look', input: { number } };
      yield { type: 'finish', finishReason: isLast ? 'stop' : 'tool-calls', usage } as InferenceEvent;
    },
  };
  const agent = defineAgent({
    name: 'walker',
    systemPrompt: 'Walk.',
    inference,
    tools: [fakeTool('look', 'x'.repeat(resultLength))],
    budget: { maxSteps: steps + 2 },
    compileMessages: () => [],
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Take the steps');
  return session;
}

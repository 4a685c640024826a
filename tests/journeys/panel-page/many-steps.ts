import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { fakeTool, scriptedInference } from '@vitrine/core/testing';

/** A session with a run of so many steps, each with a result of so many characters. */
export async function manySteps(steps: number, resultLength: number): Promise<AgentSession> {
  const calls = Array.from({ length: steps }, (_, number) => ({
    toolCalls: [{ name: 'look', input: { number } }],
  }));
  const agent = defineAgent({
    name: 'walker',
    systemPrompt: 'Walk.',
    inference: scriptedInference([...calls, { text: 'All steps are taken.' }]),
    tools: [fakeTool('look', 'x'.repeat(resultLength))],
    budget: { maxSteps: steps + 2 },
    compileMessages: () => [],
  });
  const session = createAgentSession({ agent });
  await session.sendMessage('Take the steps');
  return session;
}

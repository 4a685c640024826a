import { type AgentSession, AgentState, createAgentSession, defineAgent } from '@vitrine/core';
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

/** A session in whose metadata an object has so many names. */
export async function manyNames(count: number): Promise<void> {
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, index]));
  const agent = defineAgent({ name: 'keeper', inference: scriptedInference([{ text: 'Kept.' }]) });
  const initialState = AgentState.withMetadata(AgentState.create(), { many });
  await createAgentSession({ agent, initialState }).sendMessage('Keep them');
}

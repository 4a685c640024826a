import { type AgentSession, AgentState, createAgentSession, Message } from '@vitrine/core';
import type { FaultyAgent } from '../../apps/demo/src/faults/faulty-agent.ts';

/** A secret that must stand in no answer to a coding agent. */
export const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';

/** Runs a faulty agent with secrets in its prompt, its metadata and the conversation before its question. */
export async function runWithSecrets(faulty: FaultyAgent): Promise<AgentSession> {
  const agent = faulty.create();
  const earlier = [...(faulty.earlier ?? []), `My key is ${secret}`].map((text) => Message.user(text));
  const state = AgentState.create({
    systemPrompt: `${agent.systemPrompt} The key is ${secret}.`,
    messages: earlier,
    metadata: { apiKey: secret, note: `token=${secret}` },
  });
  const session = createAgentSession({ agent, initialState: { ...state, plugins: faulty.plugins ?? {} } });
  await session.sendMessage(faulty.question);
  return session;
}

import { AgentState, Message } from '@vitrine/core';
import type { FaultyAgent } from './faulty-agent.ts';
import { modelFaults } from './model-faults.ts';
import { stateFaults } from './state-faults.ts';
import { toolFaults } from './tool-faults.ts';

/** Twenty agents with one fault each, for tests, the gallery and tools that look for faults. */
export const faultyAgents: readonly FaultyAgent[] = [...modelFaults, ...toolFaults, ...stateFaults];

/** The state in which an agent is asked its question. */
export function askedState({ question, earlier = [], plugins = {} }: FaultyAgent): AgentState {
  const messages = [...earlier, question].map((text) => Message.user(text));
  return { ...AgentState.create({ messages }), plugins };
}

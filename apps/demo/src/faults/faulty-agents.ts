import { AgentState, Message } from '@vitrine/core';
import type { FaultyAgent } from './faulty-agent.ts';
import { modelFaults } from './model-faults.ts';
import { stateFaults } from './state-faults.ts';
import { toolFaults } from './tool-faults.ts';

/** Twenty agents with one fault each, for tests, the gallery and tools that look for faults. */
export const faultyAgents: readonly FaultyAgent[] = [...modelFaults, ...toolFaults, ...stateFaults];

/** The state before an agent is asked its question. */
export function stateBefore({ earlier = [], plugins = {} }: FaultyAgent): AgentState {
  return { ...AgentState.create({ messages: earlier.map((text) => Message.user(text)) }), plugins };
}

/** The state in which an agent is asked its question. */
export function askedState(fault: FaultyAgent): AgentState {
  return AgentState.withUserMessage(stateBefore(fault), fault.question);
}

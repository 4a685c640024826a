import { AgentState, Message } from '@vitrine/core';
import type { FaultyAgent, GalleryAgent } from './faulty-agent.ts';
import type { HiddenFault } from './hidden-fault.ts';
import { hiddenSetupFaults } from './hidden-setup-faults.ts';
import { hiddenTextFaults } from './hidden-text-faults.ts';
import { modelFaults } from './model-faults.ts';
import { stateFaults } from './state-faults.ts';
import { toolFaults } from './tool-faults.ts';

/** Twenty agents with one fault each that a finding names, for tests, the gallery and tools that look for faults. */
export const faultyAgents: readonly FaultyAgent[] = [...modelFaults, ...toolFaults, ...stateFaults];

/** Ten agents with one fault each that only an experiment names. */
export const hiddenFaults: readonly HiddenFault[] = [...hiddenTextFaults, ...hiddenSetupFaults];

/** The state before an agent is asked its questions. */
export function stateBefore({ earlier = [], plugins = {} }: GalleryAgent): AgentState {
  return { ...AgentState.create({ messages: earlier.map((text) => Message.user(text)) }), plugins };
}

/** The state in which an agent is asked its question. */
export function askedState(fault: FaultyAgent): AgentState {
  return AgentState.withUserMessage(stateBefore(fault), fault.question);
}

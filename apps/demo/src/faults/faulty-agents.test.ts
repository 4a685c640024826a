import { AgentState, createAgentLoop, type AgentEvent } from '@vitrine/core';
import { diagnose, type Finding } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';
import type { FaultyAgent } from './faulty-agent.ts';
import { askedState, faultyAgents } from './faulty-agents.ts';

async function findingsOf(faulty: FaultyAgent): Promise<{ found: readonly Finding[]; end: AgentState }> {
  const base = askedState(faulty);
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(faulty.create(), { onEvent: (event) => events.push(event) });
  const end = await loop.execute(base);
  return { found: diagnose({ base, events }), end };
}

/** The name of the tool that a finding leads to; null when it leads to none. */
function toolAt(end: AgentState, { address: { path, toolCallId } }: Finding): string | null {
  const id = path[0] ?? toolCallId;
  const calls = AgentState.steps(end).flatMap(({ toolExecutions }) => toolExecutions);
  return calls.find((call) => call.id === id)?.toolCall.name ?? null;
}

it('there are twenty faults, each with an id of its own', () => {
  expect(faultyAgents).toHaveLength(20);
  expect(new Set(faultyAgents.map(({ id }) => id)).size).toBe(20);
});

describe.each(faultyAgents)('the fault $id', (faulty) => {
  it('a finding names it, and its address leads there', async () => {
    const { found, end } = await findingsOf(faulty);
    const faults = found.filter(({ severity }) => severity === 'fault');
    const named = found.filter(({ code }) => code === faulty.code);
    expect(found.map(({ code }) => code)).toContain(faulty.code);
    // Nothing else is a fault, so that a person is led to the cause at once.
    expect(faults.filter(({ code }) => code !== faulty.code).map(({ sentence }) => sentence)).toEqual([]);
    const first = named[0] as Finding;
    expect(first.address.executionId).toBe(end.execution?.executionId);
    const { place } = faulty;
    if (place === null) expect(AgentState.steps(end).map(({ id }) => id)).toContain(first.address.stepId);
    else if ('tool' in place) expect(toolAt(end, first)).toBe(place.tool);
    else expect(first.address.statePath).toEqual(place.statePath);
  });

  it('the sentence and the remedy of the finding are for a developer to read', async () => {
    const { found } = await findingsOf(faulty);
    const { sentence, remedy } = found.find(({ code }) => code === faulty.code) as Finding;
    // The wait before a retry is real time.
    expect(`${sentence.replace(/[\d.]+ m?s(?=:)/, '60 ms')}\n${remedy}`).toMatchSnapshot();
  });
});

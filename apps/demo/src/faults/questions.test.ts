import { createAgentSession } from '@vitrine/core';
import { createRecorder, sessionHub, questionsAbout } from '@vitrine/inspect';
import { expect, it } from 'vitest';
import { faultyAgents, stateBefore } from './faulty-agents.ts';

const mostBytes = 2_048;

it.each(faultyAgents)('one question of at most 2 kB finds the fault $id', async (faulty) => {
  const recorder = createRecorder();
  const session = createAgentSession({ agent: faulty.create(), initialState: stateBefore(faulty) });
  try {
    await session.sendMessage(faulty.question);
    const source = sessionHub().sources().at(-1);
    const sessions = () => [{ id: faulty.id, name: 'faulty', record: recorder.read(source!) }];
    const findings = questionsAbout(sessions).find(({ name }) => name === 'findings');
    const answer = findings?.ask({}) ?? { items: [], more: null };
    expect(answer.items[0]).toMatchObject({ code: faulty.code });
    expect(new TextEncoder().encode(JSON.stringify(answer)).length).toBeLessThanOrEqual(mostBytes);
  } finally {
    await session.dispose();
    recorder.dispose();
  }
});

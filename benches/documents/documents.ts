import { AgentState } from '@vitrine/core';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';
import { makeRun, withHistory } from '../stores/bench-session.ts';

/** A session of 1,000 messages and a run of 200 tool steps, from text to state. */
export async function documents(rounds: number): Promise<Measured> {
  const state = withHistory(await makeRun(), 1000);
  const text = JSON.stringify(AgentState.toJSON(state));
  const plain = JSON.stringify(AgentState.messages(state));
  const loadMs = time(rounds, () => void AgentState.fromJSON(JSON.parse(text)));
  const saveMs = time(rounds, () => void JSON.stringify(AgentState.toJSON(state)));
  return {
    tables: [
      {
        title: `${AgentState.messages(state).length} messages and ${AgentState.stepCount(state)} steps`,
        head: ['figure', 'ms'],
        rows: [
          ['to text', saveMs.toFixed(2)],
          ['from text, validated', loadMs.toFixed(2)],
        ],
      },
    ],
    figures: [
      { goal: 'load', of: 'core, without a store', value: loadMs },
      { goal: 'documentSize', of: 'core', value: text.length / plain.length },
    ],
  };
}

function time(rounds: number, act: () => void): number {
  const times = Array.from({ length: rounds * 10 }, () => {
    const startedAt = performance.now();
    act();
    return performance.now() - startedAt;
  });
  return median(times);
}

import { AgentState } from '@vitrine/core';
import type { Measured } from '../scenario.ts';
import { sideBySide } from '../side-by-side.ts';
import { makeRun, withHistory } from '../bench-session.ts';

/** Measures parsing a session of 1,000 messages and a run of 200 tool steps. */
export async function documents(rounds: number): Promise<Measured> {
  const state = withHistory(await makeRun(), 1000);
  const text = JSON.stringify(AgentState.toJSON(state));
  const plain = JSON.stringify(AgentState.messages(state));
  const [floorMs, loadMs, saveMs] = await sideBySide(rounds * 30, [
    () => void JSON.parse(plain),
    () => void AgentState.fromJSON(JSON.parse(text)),
    () => void JSON.stringify(AgentState.toJSON(state)),
  ]);
  return {
    tables: [
      {
        title: `${AgentState.messages(state).length} messages and ${AgentState.stepCount(state)} steps`,
        head: ['figure', 'ms'],
        rows: [
          ['to text', saveMs.toFixed(2)],
          ['from text, validated', loadMs.toFixed(2)],
          ['its plain messages by JSON.parse', floorMs.toFixed(2)],
        ],
      },
    ],
    figures: [
      { goal: 'load', of: 'core, without a store', value: loadMs / floorMs },
      { goal: 'documentSize', of: 'core', value: text.length / plain.length },
    ],
  };
}

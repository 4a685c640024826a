import { describe, expect, it } from 'vitest';
import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';

type FixedEnv = ReturnType<typeof fixedEnv>;

/** One run of a scripted agent, faulty or healthy. */
export type SeededRun = {
  readonly script: readonly ScriptedEntry[];
  readonly init?: Partial<AgentInit> | ((env: FixedEnv) => Partial<AgentInit>);
  readonly state?: (env: FixedEnv) => AgentState;
  /** Called with each event, to answer for a person or to move the clock. */
  readonly onEvent?: (event: AgentEvent, env: FixedEnv) => void;
};

/** A seeded fault with its healthy twin. */
export type SeededFault = {
  readonly code: string;
  readonly fault: SeededRun;
  readonly twin: SeededRun;
  /** A part of the sentence. */
  readonly says: RegExp;
  readonly severity?: Finding['severity'];
};

/** The findings of a run. */
export async function findingsOf({
  script,
  init = {},
  state,
  onEvent,
}: SeededRun): Promise<readonly Finding[]> {
  const env = fixedEnv();
  const agent: AgentDefinition = scriptedAgent(script, {
    retry: { baseDelayMs: 1, maxDelayMs: 2 },
    ...(typeof init === 'function' ? init(env) : init),
  });
  const base = state?.(env) ?? ask('Hello', env);
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(agent, {
    env,
    hookContract: 'diagnostics',
    onEvent(event) {
      events.push(event);
      onEvent?.(event, env);
    },
  });
  await loop.execute(base);
  return diagnose({ base, events });
}

/** Declares the tests of seeded faults: the finding is made, and the healthy twin has no fault and not this finding. */
export function testSeededFaults(faults: readonly SeededFault[]): void {
  describe.each(faults)('the detector $code', ({ code, fault, twin, says, severity }) => {
    it('the seeded fault is found', async () => {
      const found = (await findingsOf(fault)).filter((finding) => finding.code === code);
      expect(found).not.toHaveLength(0);
      expect(found[0]?.sentence).toMatch(says);
      expect(found[0]?.sentence.endsWith('.')).toBe(true);
      expect(found[0]?.remedy).not.toBe('');
      if (severity !== undefined) expect(found[0]?.severity).toBe(severity);
      expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    });

    it('the healthy twin has no fault', async () => {
      const found = await findingsOf(twin);
      expect(found.filter((finding) => finding.severity === 'fault')).toEqual([]);
      expect(found.map((finding) => finding.code)).not.toContain(code);
    });
  });
}

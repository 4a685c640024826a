import { describe, expect, it } from 'vitest';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook, type Hook, type HookPoint } from '@vitrine/core/internal/agent/hook';
import { usage } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { createJournal, type Journal } from '@vitrine/core/internal/run/journal';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { journalDocument, type JournalDocument } from './journal-document.ts';
import { replay } from './replay.ts';

const hello: ScriptedStep = { text: 'Hi', usage: { inputTokens: 3, outputTokens: 1 } };

/** Runs an agent and records it. */
async function recorded(
  steps: readonly ScriptedStep[],
  init: Partial<AgentInit>,
): Promise<{ readonly journal: Journal; readonly recording: JournalDocument }> {
  const env = fixedEnv();
  const base = ask('Hello', env);
  const journal = createJournal(base, { env });
  const events: { readonly seq: number | null }[] = [];
  journal.subscribe((event) => events.push(event));
  await runOnJournal({ agent: scriptedAgent(steps, init), lease: journal.lease().lease, env });
  return { journal, recording: journalDocument('j', base, events) };
}

/** The error message of a replay. */
async function saying(recording: JournalDocument, init: Partial<AgentInit>): Promise<unknown> {
  const thrown: unknown = await replay(recording, scriptedAgent([], init)).catch((error: unknown) => error);
  return isAgentError(thrown, 'replay-diverged') ? thrown.message : thrown;
}

/** A hook that asks a model and stores the answer. */
function judge(made: string[], heard: unknown[], on: HookPoint = 'before-step'): Hook {
  return defineHook({
    name: 'judge',
    on,
    async run(state, ctx) {
      const about = ctx.fields.execution?.id ?? 'all';
      const answer = await ctx.callModel({
        input: 'Is it fine?',
        call() {
          made.push(about);
          return { verdict: `fine, ${about}` };
        },
        usageOf: () => ({ inputTokens: 9, outputTokens: 2 }),
      });
      heard.push([about, answer]);
      return withMetadata(state, { [about]: true });
    },
  });
}

describe('the replay of model calls made by hooks', () => {
  it("a hook's model call is answered from the recording and not made again", async () => {
    const made: string[] = [];
    const heard: unknown[] = [];
    const hooks = [judge(made, heard)];
    const { journal, recording } = await recorded([hello], { hooks });
    expect(usage(journal.state()).totalTokens).toBe(15);
    const { modelCalls } = await replay(recording, scriptedAgent([], { hooks }));
    expect(modelCalls).toBe(2);
    expect(made).toEqual(['all']);
    expect(heard).toEqual([
      ['all', { verdict: 'fine, all' }],
      ['all', { verdict: 'fine, all' }],
    ]);
  });

  it('each model call of a hook receives its own answer, when the hook asks once for every tool call', async () => {
    const made: string[] = [];
    const heard: unknown[] = [];
    const init = {
      hooks: [judge(made, heard, 'after-tool-use')],
      tools: [fakeTool('look', 'blue')],
      toolConcurrency: 3,
    };
    const look = { name: 'look', input: {} };
    const { recording } = await recorded([{ toolCalls: [look, look, look] }, hello], init);
    const lived = heard.splice(0);
    expect(lived).toHaveLength(3);
    await replay(recording, scriptedAgent([], init));
    expect(heard).toEqual(lived);
    expect(made).toHaveLength(3);
  });

  it('an unrecorded model call is not made, and the error names its hook', async () => {
    const { recording } = await recorded([hello], {});
    const made: string[] = [];
    expect(await saying(recording, { hooks: [judge(made, [])] })).toBe(
      'Step 1: what hook "judge" asks a model differs from the recording: recorded null, now "Is it fine?".',
    );
    expect(made).toEqual([]);
  });

  it("a hook's model call is not made where the recording breaks off", async () => {
    const made: string[] = [];
    const hooks = [judge(made, [])];
    const { recording } = await recorded([hello], { hooks });
    for (let end = 1; end <= recording.events.length; end++) {
      const cut = { ...recording, events: recording.events.slice(0, end) };
      const { state } = await replay(cut, scriptedAgent([], { hooks }));
      expect(state.seq).toBe(recording.events[end - 1]!.seq);
    }
    expect(made).toEqual(['all']);
  });
});

it('the error of a replay explains a hook that calls another service by itself', async () => {
  let asks = 0;
  const own = defineHook({
    name: 'own',
    on: 'before-step',
    run: async (state) => withMetadata(state, { answer: await Promise.resolve(++asks) }),
  });
  const { recording } = await recorded([hello], { hooks: [own] });
  expect(await saying(recording, { hooks: [own] })).toMatch(
    /^Step 1: metadata-change by own differs .* at set\.answer: recorded 1, now \d+\. .*hook "own".*ctx\.callModel/,
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool, type Tool } from '@vitrine/core/internal/agent/tool';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import {
  breakHits,
  finalResponse,
  pendingApprovals,
  status,
  steps as stepsOf,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { ToolExecution } from '@vitrine/core/internal/graph/types';
import { createJournal } from '@vitrine/core/internal/run/journal';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { type Plan, plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { type ForkEdit, type Forks, forkRuns } from './fork-runs.ts';
import { type JournalDocument, journalDocument } from './replay/journal-document.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);
const unhurried = { timeout: 1_800_000 };
const enough = { tokens: 10_000_000, cost: null };

/** The agent with a counter around each tool that is not idempotent, also in its subagents. */
function counted(agent: AgentDefinition, acts: string[]): AgentDefinition {
  const tools = agent.tools.map((tool): Tool => {
    const { execute, effects, name } = tool;
    if (execute === null || effects === 'idempotent') return tool;
    return { ...tool, execute: (input: unknown, ctx) => (acts.push(name), execute(input, ctx)) };
  });
  const subagents = agent.subagents.map((entry) => ({ ...entry, agent: counted(entry.agent, acts) }));
  return { ...agent, tools, subagents };
}

/** Resolves when no session works any more: each run has ended, or waits for a person. */
async function atRest(sessions: readonly AgentSession[]): Promise<void> {
  const rests = (session: AgentSession): boolean => {
    const { state } = session.store.getState();
    const isOver = ['completed', 'stopped', 'failed'].includes(status(state) ?? '');
    const isHeld = state.execution?.waitingSince != null;
    return session.isSettled() && (isOver || isHeld);
  };
  for (let looks = 0; !sessions.every(rests); looks++) {
    // A fork that neither works nor rests is a fault of its own.
    if (looks > 5000)
      throw new Error(
        JSON.stringify(
          sessions.map((session) => session.store.getState().state.execution),
          null,
          1,
        ),
      );
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The calls that a fork holds. */
function heldIn(session: AgentSession | undefined): readonly ToolExecution[] {
  const { state } = session!.store.getState();
  return pendingApprovals(state).filter(({ approval }) => approval?.cause === 'fork');
}

const callsIn = (session: AgentSession): readonly ToolExecution[] =>
  stepsOf(session.store.getState().state).flatMap(({ toolExecutions }) => toolExecutions);

/** Plans whose calls have one of two arguments, so that some equal a recorded call and some do not. */
const varied: fc.Arbitrary<Plan> = fc
  .tuple(plan, fc.array(fc.boolean(), { minLength: 3, maxLength: 7 }))
  .map(([planned, choices]) => {
    let at = 0;
    const vary = (steps: readonly ScriptedStep[]): readonly ScriptedStep[] =>
      steps.map((step) => ({
        ...step,
        toolCalls: (step.toolCalls ?? []).map((call) =>
          call.name === 'delegate' || choices[at++ % choices.length]
            ? call
            : { ...call, input: { edited: false } },
        ),
      }));
    return { ...planned, script: vary(planned.script), kidScript: vary(planned.kidScript) };
  });

const edits: fc.Arbitrary<ForkEdit> = fc.constantFrom({}, { systemPrompt: 'Be long.' }, { model: 'other' });

describe('the effects of forks of random runs', () => {
  it(
    'a fork of any run makes no call of a `once` tool unasked, and one for each that a person lets run',
    unhurried,
    async () => {
      let [forked, held] = [0, 0];
      await fc.assert(
        fc.asyncProperty(
          varied,
          varied,
          fc.tuple(edits, edits),
          fc.nat(),
          fc.nat(),
          async (was, now, both, at, cut) => {
            const env = fixedEnv();
            const base = ask('Hello', env);
            const ran = await runAll(was, agentOf(was, new Map()), env, base);
            const whole = ran.entries.map(({ event }) => event);
            // Every third record breaks off, as that of a page that crashed.
            const events = cut % 3 === 0 ? whole.slice(0, cut % (whole.length + 1)) : whole;
            const steps = events.flatMap((event) => (event.type === 'step-start' ? [event.stepId] : []));
            const stepId = steps[at % Math.max(1, steps.length)];
            if (stepId === undefined) return;
            const acts: string[] = [];
            const agent = counted(agentOf(now, new Map()), acts);
            const journal = JSON.parse(JSON.stringify(journalDocument('j', base, events))) as JournalDocument;
            const forks = forkRuns({ agent, journal, stepId, edits: both, cap: enough });
            await atRest(forks.sessions);
            expect(acts).toEqual([]);
            forked++;
            const [first] = forks.sessions;
            const [waiting] = heldIn(first);
            if (first !== undefined && waiting !== undefined) {
              held++;
              await first.approve(waiting.id);
              await atRest(forks.sessions);
              expect(acts).toEqual([waiting.toolCall.name]);
              expect(forks.sourceOf(0, waiting.id)).toBe('tool');
            }
            await forks.end();
            expect(acts.length).toBeLessThanOrEqual(1);
          },
        ),
        { numRuns, endOnFailure: true },
      );
      expect(forked).toBeGreaterThan(numRuns / 2);
      expect(held).toBeGreaterThan(0);
    },
  );
});

/** Records a run of an agent, which a person answers with `approve`. */
async function record(
  agent: AgentDefinition,
  base = ask(),
): Promise<{ journal: JournalDocument; steps: readonly string[] }> {
  const journal = createJournal(base);
  const events: AgentEvent[] = [];
  journal.subscribe((event) => events.push(event));
  await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv });
  const steps = events.flatMap((event) => (event.type === 'step-start' ? [event.stepId] : []));
  return { journal: journalDocument('r', journal.base, events), steps };
}

const to = z.object({ to: z.string() });

describe('the calls of a fork', () => {
  let acts: unknown[] = [];
  let forks: Forks | null = null;
  const mail = defineTool({
    name: 'mail',
    description: '',
    input: to,
    execute(input) {
      acts.push(input);
      return `sent ${acts.length}`;
    },
  });

  /** Records a run that follows a script and forks its first step, with other answers of the model. */
  async function forkOf(
    init: Partial<Omit<AgentDefinition, 'inference'>>,
    was: readonly ScriptedStep[],
    now: readonly ScriptedStep[],
    edit: ForkEdit = {},
  ): Promise<AgentSession> {
    await forks?.end();
    acts = [];
    const agent = scriptedAgent(was, init as object);
    const { journal, steps } = await record(agent);
    acts = [];
    const live = { ...agent, inference: scriptedInference(now) };
    forks = forkRuns({ agent: live, journal, stepId: steps[0]!, edits: [edit], cap: enough });
    await atRest(forks.sessions);
    return forks.sessions[0]!;
  }
  const mails = (...names: string[]): ScriptedStep => ({
    toolCalls: names.map((name) => ({ name: 'mail', input: { to: name } })),
  });
  const results = (session: AgentSession): readonly unknown[] =>
    callsIn(session).map(({ result, status }) => result ?? status);

  it('equal calls have the recorded results in their order, and the last one again', async () => {
    const session = await forkOf(
      { tools: [mail] },
      [mails('Ada', 'Ada'), {}],
      [mails('Ada'), mails('Ada'), mails('Ada'), { text: 'The end' }],
    );
    expect(acts).toEqual([]);
    expect(results(session)).toEqual(['sent 1', 'sent 2', 'sent 2']);
    expect(finalResponse(session.store.getState().state)).toBe('The end');
    const [call] = callsIn(session);
    expect(forks!.sourceOf(0, call!.id)).toBe('record');
  });

  it('a person runs, answers or skips a call that the record does not have', async () => {
    const was = [mails('Ada'), {}];
    const now = [mails('Bob', 'Cleo', 'Dan'), { text: 'The end' }];
    const session = await forkOf({ tools: [mail] }, was, now);
    const [bob, cleo, dan] = heldIn(session);
    expect(acts).toEqual([]);
    await session.approve(bob!.id);
    await session.respond(cleo!.id, 'given');
    await session.reject(dan!.id);
    await atRest([session]);
    expect(acts).toEqual([{ to: 'Bob' }]);
    expect(results(session)).toEqual(['sent 1', 'given', 'rejected']);
    expect(status(session.store.getState().state)).toBe('completed');
  });

  it('a person who lets a call run does not overrule the rule of its tool', async () => {
    const guarded = {
      ...mail,
      needsApproval: (input: { to: string }) => (input.to === 'Bob' ? { deny: 'no' } : false),
    };
    const session = await forkOf({ tools: [guarded] as never }, [mails('Ada'), {}], [mails('Bob'), {}]);
    await session.approve(heldIn(session)[0]!.id);
    await atRest([session]);
    expect([acts, results(session)]).toEqual([[], ['rejected']]);
  });

  it('a call whose arguments were edited waits as any other that the record does not have', async () => {
    await forkOf({ tools: [mail] }, [mails('Ada'), {}], [{}]);
    const session = await forkOf({ tools: [mail] }, [mails('Ada'), {}], [{}]);
    expect(heldIn(session)).toEqual([]);
    const agent = scriptedAgent([mails('Ada'), {}], { tools: [mail] });
    const { journal, steps } = await record(agent);
    acts = [];
    const toolCallId = journal.events.flatMap((event) =>
      event.type === 'tool-call' ? [event.toolCallId] : [],
    )[0]!;
    const edit = { toolCallId, input: { to: 'Bob' } };
    forks = forkRuns({ agent, journal, stepId: steps[0]!, edits: [edit], cap: enough });
    await atRest(forks.sessions);
    expect([acts, heldIn(forks.sessions[0]).map(({ toolCall }) => toolCall.input)]).toEqual([
      [],
      [{ to: 'Bob' }],
    ]);
  });

  it('arguments are compared behind the schema of the tool', async () => {
    const trimming = { ...mail, input: z.object({ to: z.string().trim() }) };
    const session = await forkOf({ tools: [trimming] as never }, [mails('Ada'), {}], [mails(' Ada '), {}]);
    expect([acts, results(session)]).toEqual([[], ['sent 1']]);
  });

  it('the record brings the failures of tools, their plugin states and their changes of the state', async () => {
    const count = definePlugin({ id: 'count', state: z.number(), initial: 0 });
    const writing = defineTool({
      name: 'write',
      description: '',
      input: z.object({}),
      execute(_input, ctx) {
        acts.push('write');
        ctx.plugin(count).set(7);
        ctx.update((state) => withMetadata(state, { written: true }));
      },
    });
    const failing = defineTool({
      name: 'fail',
      description: '',
      input: z.object({}),
      execute() {
        acts.push('fail');
        throw new Error('The recorded failure');
      },
    });
    const script = [
      {
        toolCalls: [
          { name: 'write', input: {} },
          { name: 'fail', input: {} },
        ],
      },
      {},
    ];
    const session = await forkOf({ tools: [writing, failing], plugins: [count] } as never, script, script);
    const { state } = session.store.getState();
    expect(acts).toEqual([]);
    expect([state.plugins['count']?.data, state.context.metadata['written']]).toEqual([7, true]);
    const [, failed] = callsIn(session);
    expect(failed).toMatchObject({ status: 'failed', error: { message: 'The recorded failure' } });
  });

  it('layers of plugins around a tool, and hooks with effects, do not act in a fork', async () => {
    const layer = definePlugin({
      id: 'layer',
      state: z.number(),
      initial: 0,
      async aroundTool(_call, next) {
        acts.push('layer');
        return next();
      },
    });
    const hook = defineHook({ name: 'tell', on: 'all', effects: 'once', run: () => void acts.push('hook') });
    const script = [mails('Ada'), {}];
    const init = { tools: [mail], plugins: [layer], hooks: [hook] } as never;
    await forkOf(init, script, [...script, mails('Bob')]);
    expect(acts).toEqual([]);
  });

  it('the tools of a subagent that works anew are held too, and an equal task has its recorded answer', async () => {
    const task = (text: string): ScriptedStep => ({
      toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: text } }],
    });
    const kid = scriptedAgent([mails('Ada'), { text: 'Done' }, mails('Bob'), {}], {
      name: 'kid',
      tools: [mail],
    });
    const same = await forkOf(
      { subagents: [{ agent: kid, inheritTools: null }] } as never,
      [task('one'), {}],
      [task('one'), {}],
    );
    expect([acts, results(same)]).toEqual([[], ['Done']]);
    const other = await forkOf(
      {
        subagents: [
          {
            agent: scriptedAgent([mails('Ada'), mails('Bob')], {
              name: 'kid',
              tools: [mail],
              budget: { maxSteps: 1 },
            }),
            inheritTools: null,
          },
        ],
      } as never,
      [task('one'), {}],
      [task('two'), {}],
    );
    expect([acts, heldIn(other).map(({ toolCall }) => toolCall.input)]).toEqual([[], [{ to: 'Bob' }]]);
  });

  it('a fork goes on where another subagent of the record stood at a breakpoint', async () => {
    const kid = (
      name: string,
      script: readonly ScriptedStep[],
    ): { agent: AgentDefinition; inheritTools: null } => ({
      agent: scriptedAgent(script, { name, tools: [mail] }),
      inheritTools: null,
    });
    const task = (agent: string) => ({ name: 'delegate', input: { agent, task: 'Write' } });
    const look = { ...mail, name: 'look', effects: 'idempotent' as const };
    const slow = ['Ada', 'Bob', 'Cleo'].map((to) => ({ toolCalls: [{ name: 'look', input: { to } }] }));
    const script = [{ toolCalls: [task('held'), task('free')] }, { text: 'The end' }];
    const free = { agent: scriptedAgent([...slow, {}], { name: 'free', tools: [look] }), inheritTools: null };
    const agent = scriptedAgent(script, { subagents: [kid('held', [mails('Ada'), {}]), free] } as never);
    const base = {
      ...ask(),
      breakpoints: [{ id: 'b', on: { type: 'tool' as const, toolName: 'mail' }, isOnce: false }],
    };
    const { journal, steps } = await record(agent, base);
    const held = journal.events.findIndex(({ type }) => type === 'break-hit');
    const stepId = steps.at(-1)!;
    expect(
      journal.events.findIndex((event) => event.type === 'step-start' && event.stepId === stepId),
    ).toBeGreaterThan(held);
    acts = [];
    forks = forkRuns({ agent, journal, stepId, edits: [{}], cap: enough });
    await atRest(forks.sessions);
    expect([acts, heldIn(forks.sessions[0]).map(({ toolCall }) => toolCall.name)]).toEqual([[], ['mail']]);
  });

  it('a model behind which tools run is asked when a person lets it', async () => {
    const asked: string[] = [];
    const acting = scriptedInference([{ text: 'The end' }]);
    const agent = scriptedAgent([{ text: 'Recorded' }], {});
    const { journal, steps } = await record(agent);
    const live: AgentDefinition = {
      ...agent,
      inference: {
        effects: 'once',
        stream(request, call) {
          asked.push('model');
          return acting.stream(request, call);
        },
      },
    };
    forks = forkRuns({ agent: live, journal, stepId: steps[0]!, edits: [{}], cap: enough });
    const [session] = forks.sessions;
    await atRest([session!]);
    expect([asked, breakHits(session!.store.getState().state)]).toMatchObject([
      [],
      [{ at: { point: 'model' } }],
    ]);
    await session!.releaseWith({});
    await atRest([session!]);
    expect([asked, finalResponse(session!.store.getState().state)]).toEqual([['model'], 'The end']);
  });
});

import fc from 'fast-check';
import * as z from 'zod';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { breakHits, currentStep, messages, status } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import type { AgentState, BreakAddress, BreakCondition, BreakEdit } from '@vitrine/core/internal/graph/types';
import { placeOfBreak } from '@vitrine/core/internal/run/release-break';
import { type FaultySessions, faultySessions } from '@vitrine/testing/internal/faulty-sessions.fixture';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { storedState } from '@vitrine/testing/internal/session.fixture';
import {
  type SimulatedTab,
  type SimulatedTabs,
  simulatedTabs,
} from '@vitrine/testing/internal/simulated-tabs.fixture';
import { type SimulatedTime, simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const acts = [
  'pause',
  'pause',
  'step',
  'release',
  'release',
  'release',
  'kill',
  'reload',
  'break',
  'unbreak',
] as const;
const edits = ['nothing', 'prompt', 'message', 'input', 'result', 'replaced'] as const;
type Edit = (typeof edits)[number];
type ToolName = 'pay' | 'look';

/** A run with edits at its breakpoints, and what a person does to it meanwhile. */
export type DebugPlan = {
  /** The calls of each step before the final answer; `pay` runs once, `look` may be repeated. */
  readonly steps: readonly (readonly ToolName[])[];
  /** The edits at the breakpoints, taken in turn by place; one that does not fit its place is no edit. */
  readonly edits: readonly Edit[];
  /** The breakpoints that are set before the run begins and stay. */
  readonly breaks: { readonly model: boolean; readonly tool: ToolName | null; readonly after: boolean };
  readonly toolConcurrency: number;
  readonly acts: readonly {
    readonly tab: number;
    readonly waitMs: number;
    readonly act: (typeof acts)[number];
  }[];
  /** Delays of messages between tabs and of the store, in milliseconds. */
  readonly delays: readonly number[];
  readonly storeMs: readonly number[];
  readonly resume: boolean;
};

const tool = fc.constantFrom<ToolName>('pay', 'look');

export const debugPlan: fc.Arbitrary<DebugPlan> = fc.record({
  steps: fc.array(fc.array(tool, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  edits: fc.array(fc.constantFrom(...edits), { minLength: 1, maxLength: 7 }),
  breaks: fc.record({ model: fc.boolean(), tool: fc.option(tool), after: fc.boolean() }),
  toolConcurrency: fc.constantFrom(1, 2, 4),
  acts: fc.array(
    fc.record({
      tab: fc.nat(1),
      waitMs: fc.constantFrom(0, 0, 1, 5, 15, 30, 60, 120),
      act: fc.constantFrom(...acts),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  delays: fc.array(fc.constantFrom(0, 1, 1, 20, 90), { minLength: 1, maxLength: 9 }),
  storeMs: fc.array(fc.constantFrom(0, 0, 5, 40), { minLength: 1, maxLength: 5 }),
  resume: fc.boolean(),
});

/** The conditions of the breakpoints of a plan. */
function conditionsOf({ breaks }: DebugPlan): readonly BreakCondition[] {
  return [
    ...(breaks.model ? [{ type: 'model' } as const] : []),
    ...(breaks.tool === null ? [] : [{ type: 'tool', toolName: breaks.tool } as const]),
    ...(breaks.after ? [{ type: 'tool', toolName: 'pay', isAfter: true } as const] : []),
  ];
}

/** A place of a plan. `index` is that of the call in its step; 0 at no call. */
type PlanPlace = { readonly point: BreakAddress['point']; readonly step: number; readonly index: number };

/** The edit of a person at a place. It depends on nothing else, so a release that a kill undoes is made again. */
export function editAt(plan: DebugPlan, { point, step, index }: PlanPlace): Edit {
  const { breaks, steps } = plan;
  const name = steps[step - 1]?.[index];
  const isPlanned = {
    model: breaks.model,
    tool: name !== undefined && name === breaks.tool,
    answer: false,
    end: breaks.after && (steps[step - 1]?.includes('pay') ?? false),
  }[point];
  const edit = plan.edits[(step * 5 + index * 3 + point.length) % plan.edits.length] as Edit;
  const fits: readonly Edit[] = (
    {
      model: ['prompt', 'message'],
      tool: ['prompt', 'message', 'input', 'result'],
      answer: [],
      end: ['prompt', 'replaced'],
    } as const
  )[point];
  return isPlanned && fits.includes(edit) ? edit : 'nothing';
}

/** The text that an edit puts in at a place. */
export const editedText = ({ point, step, index }: PlanPlace): string => `edited ${point} ${step}.${index}`;

/** A message without ids and times, and without the reason of an interruption. */
export type Line = { readonly role: Message['role']; readonly parts: readonly unknown[] };

export function lineOf({ role, parts }: Message): Line {
  return { role, parts: parts.map(partOf) };
}

function partOf(part: MessagePart): unknown {
  if (part.type === 'tool-call') return [part.toolName, part.input];
  if (part.type === 'tool-result') return part.outcome === 'interrupted' ? 'interrupted' : part.output;
  return part.type === 'text' ? part.text : part.type;
}

/** The answer of the model. Its text depends on all that it was sent, so that no edit is without a trace. */
export function answerTo({ steps }: DebugPlan, prompt: string, lines: readonly Line[]): ScriptedStep {
  const answered = lines.filter(({ role }) => role === 'assistant').length;
  const calls = steps[answered];
  const text = `${answered}: ${digest(JSON.stringify([prompt, lines]))}`;
  if (calls === undefined) return { text, chunks: 3 };
  const toolCalls = calls.map((name, index) => ({ name, input: { at: `${answered + 1}.${index}` } }));
  return { text, chunks: 3, toolCalls };
}

function digest(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(36);
}

/** The result of a tool for its argument. */
export const resultOf = (name: string, at: string): string => `${name} ${at}`;

type Tab = {
  readonly session: AgentSession;
  readonly store: FaultySessions;
  readonly simulated: SimulatedTab;
};

type World = {
  readonly plan: DebugPlan;
  readonly time: SimulatedTime;
  readonly links: SimulatedTabs;
  readonly shared: SessionStore;
  readonly effects: Map<string, string[]>;
};

/** The end of a played plan. */
export type Debugged = {
  readonly states: readonly AgentState[];
  readonly stored: AgentState;
  /** The arguments with which each call had its effect, by the id of the call. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
  /** The number of releases that were accepted, by kind of edit. */
  readonly released: ReadonlyMap<Edit, number>;
};

export const question = 'Go';

/** Plays a plan until the run has ended in both tabs. */
export async function playDebugging(plan: DebugPlan): Promise<Debugged> {
  await loadParts();
  const time = simulatedTime();
  const links = simulatedTabs(plan.delays, time.sleep);
  const world: World = { plan, time, links, shared: memorySessions(), effects: new Map() };
  await world.shared.load('a');
  let opened = 0;
  const tabs = [openTab(world, opened++), openTab(world, opened++)];
  const released = new Map<Edit, number>();
  await begin(world, tabs[0] as Tab);
  for (const { tab: index, waitMs, act } of plan.acts) {
    await time.pass(waitMs);
    const { session, store, simulated } = tabs[index] as Tab;
    if (act === 'kill' || act === 'reload') {
      // A page that is reloaded writes what it has first.
      if (act === 'reload') {
        void session.flush();
        await time.pass(50);
      }
      store.cut();
      simulated.kill();
      tabs[index] = openTab(world, opened++);
    } else perform(world, session, act, released);
  }
  const isOver = (): boolean =>
    tabs.every(({ session }) => {
      const { state, status: now, activity, queue } = session.store.getState();
      if (activity.type === 'paused') perform(world, session, 'release', released);
      else if (now === 'interrupted' || (now === 'ready' && queue.length > 0)) void session.resume();
      return now === 'ready' && status(state) === 'completed';
    });
  // A write of a dead tab looks like one of another device, whose run is taken to be gone after two minutes.
  for (let looks = 0; !isOver(); looks++) {
    if (looks > 1000) throw new Error(`The run never ends: ${JSON.stringify(tabs.map(describeTab))}`);
    await time.pass(200);
  }
  await time.pass(3000);
  const states = tabs.map(({ session }) => session.store.getState().state);
  return { states, stored: await storedState(world.shared), effects: world.effects, released };
}

function describeTab({ session }: Tab): unknown {
  const { status: now, state, activity, error, queue } = session.store.getState();
  return { now, run: status(state), activity, error, queue };
}

/** Sets the breakpoints and asks. The tab is not killed before the question is stored. */
async function begin({ plan, time, shared }: World, { session }: Tab): Promise<void> {
  const set = conditionsOf(plan).map((on) => session.setBreakpoint(on));
  void session.sendMessage(question);
  const isAsked = async (): Promise<boolean> =>
    storedState(shared).then(
      (state) => messages(state).length > 0,
      () => false,
    );
  let isStored = false;
  void Promise.all(set).then(async () => {
    while (!(await isAsked())) await time.sleep(1);
    isStored = true;
  });
  await time.until(
    () => isStored,
    () => 'the question is stored',
  );
}

function perform(
  { plan }: World,
  session: AgentSession,
  act: (typeof acts)[number],
  released: Map<Edit, number>,
): void {
  const { state } = session.store.getState();
  const gone = (): undefined => undefined;
  if (act === 'pause') return void session.pause().catch(gone);
  if (act === 'break')
    return void session
      .setBreakpoint({ type: 'step', stepType: 'tool-execution' }, { id: 'answers' })
      .catch(gone);
  if (act === 'unbreak') return void session.removeBreakpoint('answers').catch(gone);
  const [hit] = breakHits(state);
  if (hit === undefined) return;
  const place = placeOfBreak(hit);
  const planned = placeIn(state, hit.at);
  const kind = editAt(plan, planned);
  if (act === 'step' && kind === 'nothing') return void session.stepOver({ place }).catch(gone);
  void session.releaseWith(editOf(state, kind, planned), { place }).then(({ status: now }) => {
    if (now !== 'refused') released.set(kind, (released.get(kind) ?? 0) + 1);
  }, gone);
}

function placeIn(state: AgentState, { point, step, toolCallId }: BreakAddress): PlanPlace {
  const calls = currentStep(state)?.toolExecutions ?? [];
  return {
    point,
    step,
    index: Math.max(
      0,
      calls.findIndex(({ id }) => id === toolCallId),
    ),
  };
}

function editOf(state: AgentState, kind: Edit, place: PlanPlace): BreakEdit {
  const words = editedText(place);
  const asked = messages(state).find(({ role }) => role === 'user')?.id ?? '';
  const paid = currentStep(state)?.toolExecutions.find(({ toolCall }) => toolCall.name === 'pay')?.id ?? '';
  switch (kind) {
    case 'nothing':
      return {};
    case 'prompt':
      return { systemPrompt: words };
    case 'message':
      return { message: { id: asked, text: words } };
    case 'input':
      return { input: { at: words } };
    case 'result':
      return { result: words };
    case 'replaced':
      return { result: words, toolCallId: paid };
  }
}

function openTab({ plan, time, links, shared, effects }: World, number: number): Tab {
  const fates = plan.storeMs.map((delayMs) => ({ fault: 'none' as const, delayMs }));
  const store = faultySessions(shared, fates, time.sleep);
  const simulated = links.open();
  const env = time.env(number);
  const isDead = (): boolean => store.isCut();
  const session = createAgentSession({
    agent: agentOf(plan, time, effects, isDead),
    sessions: { ...store, tabs: simulated.link },
    sessionId: 'a',
    publish: 'immediate',
    resume: plan.resume,
    env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (isDead() ? undefined : run())) },
  });
  void session.ready;
  return { session, store, simulated };
}

/** The agent of a tab. Answers and effects take simulated time, and a dead tab does nothing more. */
function agentOf(
  plan: DebugPlan,
  { sleep }: SimulatedTime,
  effects: Map<string, string[]>,
  isDead: () => boolean,
): AgentDefinition {
  const model = scriptedInference([
    ({ messages: [first, ...said] }) =>
      answerTo(plan, String(first === undefined ? '' : lineOf(first).parts[0]), said.map(lineOf)),
  ]);
  const make = (name: ToolName): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      description: '',
      input: z.object({ at: z.string() }),
      ...(name === 'look' ? { effects: 'idempotent' as const } : {}),
      async execute({ at }, { toolCallId }) {
        await sleep(15);
        if (isDead()) return new Promise<never>(() => undefined);
        if (name === 'pay') effects.set(toolCallId, [...(effects.get(toolCallId) ?? []), at]);
        await sleep(15);
        return resultOf(name, at);
      },
    }) as ReturnType<typeof defineTool>;
  return scriptedAgent([], {
    tools: [make('pay'), make('look')],
    toolConcurrency: plan.toolConcurrency,
    inference: {
      async *stream(request, options) {
        for await (const event of model.stream(request, options)) {
          await sleep(8);
          if (isDead()) await new Promise(() => undefined);
          yield event;
        }
      },
    },
  });
}

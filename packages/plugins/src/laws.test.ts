import {
  type AgentInit,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  defineTool,
  type InferenceRequest,
  type JsonValue,
  Message,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { askUser } from './ask-user.ts';
import { compaction } from './compaction.ts';
import { critique } from './critique.ts';
import { deferTools } from './defer-tools.ts';
import { notesPlugin } from './notes.ts';
import { planner } from './planner.ts';
import { redactRequests } from './redact-requests.ts';
import { retrospective } from './retrospective.ts';
import { answerFirst, play, type Scene, type Script, untilChanged, wireOf } from './sessions.fixture.ts';
import { skillsPlugin } from './skills.ts';
import { titleFrom } from './titles.ts';
import { todoPlugin } from './todo.ts';

const numRuns = Math.ceil(Number(process.env['PROVE_RUNS'] ?? 60) / 20);

type Call = { readonly name: string; readonly input: JsonValue };
/** A capability in an agent, and the calls that its model may make. */
type Row = { readonly init: () => Partial<AgentInit>; readonly calls: readonly Call[] };

const mail = /[a-z]+@post\.ch/g;
const detect = (text: string) => (text.match(mail) ?? []).map((value) => ({ kind: 'email', value }));
const call = (name: string, input: JsonValue = {}): Call => ({ name, input });
const note = (key: string, value: string): Call => call('write_note', { key, value });
const skill = (tools: string) =>
  `---\nname: ${tools}\ndescription: Does ${tools}\nallowed-tools: ${tools}\n---\nDo ${tools}.`;
const hidden = defineTool({
  name: 'hidden',
  description: 'Refunds.',
  input: z.object({}),
  execute: () => 'refunded',
});
const questions = [{ question: 'Which?', options: [{ label: 'red' }, { label: 'blue' }] }];
const todos = (...names: readonly string[]): Call =>
  call('todo_write', { todos: names.map((content) => ({ content, status: 'pending' })) });

const rows: Readonly<Record<string, Row>> = {
  todo: {
    init: () => ({ plugins: [todoPlugin()] }),
    calls: [todos('Write', 'Test'), todos(), todos(...Array<string>(21).fill('x'))],
  },
  'ask-user': {
    init: () => ({ tools: [askUser()] }),
    calls: [call('ask_user', { questions }), call('ask_user', { questions: [] })],
  },
  skills: {
    init: () => ({
      plugins: [
        skillsPlugin({
          skills: { 'a/SKILL.md': skill('look'), 'a/b.md': 'beside', 'b/SKILL.md': skill('pay') },
        }),
      ],
    }),
    calls: [
      call('load_skill', { name: 'look' }),
      call('load_skill', { name: 'pay' }),
      call('load_skill', { name: '../a' }),
      call('read_skill_file', { name: 'look', path: 'b.md' }),
    ],
  },
  'defer-tools': {
    init: () => ({ plugins: [deferTools([hidden])] }),
    calls: [
      call('search_tools', { query: 'refunds' }),
      call('search_tools', { query: 'no such' }),
      call('hidden'),
    ],
  },
  'redact-requests': {
    init: () => ({ plugins: [redactRequests({ detect })] }),
    calls: [call('look', { to: 'ann@post.ch' }), call('look', { 'bo@post.ch': ['bo@post.ch'] })],
  },
  retrospective: {
    init: () => ({ plugins: [retrospective()] }),
    calls: [call('rewind', { to: 0, lesson: 'Look first' }), call('rewind', { to: 9, lesson: 'Wrong' })],
  },
  notes: {
    init: () => ({ plugins: [notesPlugin()] }),
    calls: [
      note('hotel', 'Seaview'),
      note('hotel', 'Hill'),
      note('tasks', 'x'),
      call('delete_note', { key: 'hotel' }),
      call('read_note', { key: 'hotel' }),
      call('list_notes'),
    ],
  },
  compaction: {
    init: () => ({ plugins: [compaction({ contextWindow: 400, keep: 1 })] }),
    calls: [call('look', { long: 'a' }), call('look', { long: 'b' })],
  },
  critique: { init: () => ({ plugins: [critique({ rubric: 'It is done well.' })] }), calls: [] },
  titles: { init: () => ({ plugins: [titleFrom()] }), calls: [call('look')] },
  planner: {
    init: () => planner({ inference: scriptedInference([{ text: '- Buy\n- Paint' }]) }),
    calls: [call('delegate', { agent: 'planner', task: 'Plan it' })],
  },
};

/** The model: it makes the calls in their order, and judges and sums up when it is asked to. */
function scriptOf(calls: readonly Call[]): Script {
  return (_step, { messages }) => {
    const [first] = messages;
    const asked = first === undefined ? '' : Message.text(first);
    const last = messages.at(-1);
    if (asked.startsWith('You shorten')) return { text: 'They looked.' };
    if (asked.startsWith('You give')) return { text: 'A look' };
    if (asked.startsWith('You check'))
      return {
        text: JSON.stringify({
          meets: last !== undefined && Message.text(last).endsWith('well.'),
          reason: 'Not well.',
        }),
      };
    // A summary and a rewind take steps out of the request, so the number stands in the id of each call.
    const made = messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-call' ? [Number(/call (\d+)/.exec(part.providerCallId ?? '')?.[1] ?? -1)] : [],
      ),
    );
    const shortened = messages.some(
      (message) => message.role === 'system' && Message.text(message).includes('shortened:'),
    );
    const next = made.length === 0 && !shortened ? 0 : Math.max(...made, 0) + 1;
    const given = calls[next];
    if (given === undefined) return { text: `Done ${next > 1 ? 'well' : 'badly'}.` };
    return { toolCalls: [{ id: `call ${next}`, ...given }] };
  };
}

function sceneOf(row: Row, calls: readonly Call[], toolTrace: 'tagged' | 'separate'): Scene {
  const look = fakeTool('look', (given) => `${JSON.stringify(given)} ${'seen '.repeat(60)}`);
  const pay = { ...fakeTool('pay', 'paid'), needsApproval: () => true };
  const { tools = [], ...init } = row.init();
  return {
    init: () => ({ ...init, toolTrace, tools: [...tools, look, pay] }),
    script: scriptOf(calls),
    questions: ['Do it for ann@post.ch.'],
    answer: (session) => answerFirst(session, { answers: [{ question: 'Which?', selected: ['red'] }] }),
  };
}

/** The outcome of a session, without ids and names, which differ from session to session. */
function outcomeOf(state: AgentState, requests: readonly InferenceRequest[]): readonly string[] {
  const own = requests.filter(
    ({ messages }) => !/^You (check|shorten|plan)/.test(Message.text(messages[0]!)),
  );
  const texts = [
    JSON.stringify(Object.entries(state.plugins).map(([id, { data }]) => [id, data])),
    AgentState.finalResponse(state),
    ...wireOf(own.at(-1)!),
  ];
  return texts.map((text) =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replaceAll(/\[EMAIL_\w+\]/g, '[EMAIL]'),
  );
}

/** Waits until two tabs have the same state at rest. @returns its status */
async function untilSame(one: AgentSession, two: AgentSession): Promise<string> {
  for (;;) {
    const [a, b] = [one.store.getState(), two.store.getState()];
    const isAtRest = ['ready', 'awaiting-input', 'error'].includes(a.status) && a.status === b.status;
    if (isAtRest && a.state.seq === b.state.seq) return a.status;
    await Promise.race([untilChanged(one), untilChanged(two)]);
  }
}

describe.each(Object.entries(rows))('the laws of sessions with %s', (_name, row) => {
  const plans = fc.record({
    calls: fc
      .array(fc.constantFrom(...row.calls, ...row.calls, call('look'), call('pay')), { maxLength: 5 })
      .map((more) => [...row.calls.slice(0, 1), ...more])
      // The guard of loops stops a run whose model makes the same call three times in a row.
      .filter((calls) => calls.every((one, at) => at < 2 || one !== calls[at - 1] || one !== calls[at - 2])),
    toolTrace: fc.constantFrom('tagged' as const, 'separate' as const),
  });

  it('a page that is closed at any event ends as one that stays open, with approvals and with either trace', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(), async ({ calls, toolTrace }, at) => {
        const scene = sceneOf(row, calls, toolTrace);
        const whole = await play(scene);
        const cut = await play(scene, 1 + (at % whole.events));
        expect(outcomeOf(cut.state, cut.requests)).toEqual(outcomeOf(whole.state, whole.requests));
        expect(AgentState.status(whole.state)).toBe('completed');
      }),
      { numRuns },
    );
  });

  it('two tabs have the same state when one asks and the other answers', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.uuid(), async ({ calls, toolTrace }, tabs) => {
        const scene = sceneOf(row, calls, toolTrace);
        const whole = await play(scene);
        const requests: InferenceRequest[] = [];
        const inference = scriptedInference([
          (request) => (requests.push(request), scene.script(0, request)),
        ]);
        const agent = defineAgent({ name: 'worker', inference, budget: { maxSteps: 40 }, ...scene.init() });
        const sessions = { ...memorySessions(), tabs };
        const open = () => createAgentSession({ agent, sessions, sessionId: 's', publish: 'immediate' });
        const [one, two] = [open(), open()];
        await Promise.all([one.ready, two.ready]);
        await one.sendMessage(scene.questions[0]!);
        for (let round = 0; round < 20 && (await untilSame(one, two)) === 'awaiting-input'; round += 1)
          await scene.answer?.(two);
        const states = [one, two].map(({ store }) => store.getState().state);
        for (const state of states)
          expect(outcomeOf(state, requests)).toEqual(outcomeOf(whole.state, whole.requests));
        await Promise.all([one.dispose(), two.dispose()]);
      }),
      { numRuns },
    );
  });
});

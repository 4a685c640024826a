import { AgentState, Message, systemEnv } from '@vitrine/core';
import { inputMessages, request } from '@vitrine/core/internal/graph/sent';
import { createSessionHub, type SessionHub } from '@vitrine/core/internal/session/hub';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { beforeEach, expect, it } from 'vitest';
import { diagnose } from '../findings/diagnose.ts';
import { leftOut } from '../left-out.ts';
import { createRecorder } from '../recorder.ts';
import { ObservedJournal } from './observed-journal.ts';

let hub: SessionHub;
beforeEach(() => void (hub = createSessionHub()));

const at = Date.UTC(2026, 0, 1);
const env = { ...systemEnv, now: () => at, monotonic: () => 7 };

function watched(options: { knowsResults?: boolean } = {}): ObservedJournal {
  return new ObservedJournal({ id: 'w', name: 'watched' }, { hub, env, ...options });
}

function add(journal: ObservedJournal, text: string, path: readonly string[] = []): Message {
  const message = Message.user(text, { createdAt: at - 1 });
  journal.commit(path, { type: 'message-add', section: 'messages', source: 'app', message });
  return journal.messagesAt(path).at(-1)!;
}

const prompt = { system: 'Be brief.', tools: [] } as const;

it('a request is kept exactly: its messages, others than those of the conversation, settings and tool choice', () => {
  const journal = watched();
  const agent = journal.agentAt([]);
  const [first, second, third] = ['one', 'two', 'three'].map((text) => add(journal, text));
  const summary = Message.user('Summary of one.');
  agent.begin();
  agent.addFacts({
    model: 'm',
    prompt: {
      ...prompt,
      settings: { temperature: 0 },
      toolChoice: 'required',
      messages: [summary, second!, third!],
    },
  });
  agent.beginStep();
  const state = journal.state();
  const step = state.execution!.currentStep!;
  expect(inputMessages(state, step).map(({ parts }) => parts[0])).toEqual([
    { type: 'text', text: 'Summary of one.' },
    { type: 'text', text: 'two' },
    { type: 'text', text: 'three' },
  ]);
  expect(request(state, step)).toMatchObject({
    systemPrompt: 'Be brief.',
    settings: { temperature: 0 },
    toolChoice: 'required',
  });
  expect(leftOut(state, step)).toEqual([
    { message: first, section: 'messages', reason: 'The program did not send it.', sentAs: null },
  ]);
});

it('the events of a watched journal have the times of the clock that it is given', () => {
  const journal = watched();
  const times: number[] = [];
  hub.sources()[0]!.journal.subscribe(({ at: time }) => times.push(time));
  journal.agentAt([]).begin();
  expect(times).toEqual([at]);
  expect(journal.state().createdAt).toBe(at);
});

it('each attempt at a model call has its number', () => {
  const journal = watched();
  const agent = journal.agentAt([]);
  const attempts: number[] = [];
  hub.sources()[0]!.journal.subscribe((event) => {
    if (event.type === 'inference-start') attempts.push(event.attempt);
  });
  agent.begin();
  agent.beginStep();
  agent.resetStep();
  agent.resetStep();
  expect(attempts).toEqual([1, 2, 3]);
});

it('a subagent shows the messages that it was sent', () => {
  const journal = watched();
  const agent = journal.agentAt([]);
  agent.begin();
  agent.beginStep();
  agent.giveCall('c', 'research', {});
  const id = agent.delegate(
    'c',
    'helper',
    AgentState.create({ parentAgentId: journal.state().agentId }, env),
  )!;
  const child = journal.agentAt([id]);
  add(journal, 'Find it.', [id]);
  child.begin();
  child.beginStep();
  const state = stateAtPath(journal.state(), [id])!;
  expect(inputMessages(state, state.execution!.currentStep!)).toHaveLength(1);
});

for (const [knowsResults, codes] of [
  [true, ['call-interrupted']],
  [false, []],
] as const)
  it(`a call without a result is ${knowsResults ? 'a' : 'no'} fault when its source tells ${knowsResults ? 'all' : 'not all'} results`, () => {
    const recorder = createRecorder({ hub });
    const journal = watched({ knowsResults });
    const agent = journal.agentAt([]);
    agent.begin();
    agent.beginStep();
    agent.start('c', 'search', {});
    agent.end('failed', '');
    const record = recorder.read(hub.sources()[0]!);
    recorder.dispose();
    const found = diagnose(record).map(({ code }) => code);
    expect(found.filter((code) => code === 'call-interrupted')).toEqual(codes);
  });

it('a run of which nothing more is told ends with an unknown reason and no fault', () => {
  const recorder = createRecorder({ hub });
  const journal = watched({ knowsResults: false });
  const agent = journal.agentAt([]);
  agent.begin();
  agent.beginStep();
  agent.start('c', 'search', {});
  agent.endUntold('The program has ended.');
  const record = recorder.read(hub.sources()[0]!);
  recorder.dispose();
  expect(diagnose(record)).toEqual([]);
  const { status, stepExecutions } = journal.state().execution!;
  expect(status).toBe('stopped');
  expect(stepExecutions[0]!.step.toolExecutions[0]).toMatchObject({
    status: 'stopped',
    error: { message: 'Its result was not told.' },
  });
});

it('equal prompts and tools of two requests have one name and are kept once', () => {
  const journal = watched();
  const agent = journal.agentAt([]);
  agent.begin();
  for (const system of ['Be brief.', 'Be brief.', 'Be long.']) {
    agent.addFacts({ prompt: { ...prompt, system } });
    agent.beginStep();
    agent.text('t', 'Yes');
    agent.endStep();
  }
  const { stepExecutions } = journal.state().execution!;
  const names = stepExecutions.map(({ step }) => step.sent!.prompt);
  expect(names[1]).toBe(names[0]);
  expect(names[2]).not.toBe(names[0]);
  expect(stepExecutions.map(({ step }) => request(journal.state(), step)!.systemPrompt)).toEqual([
    'Be brief.',
    'Be brief.',
    'Be long.',
  ]);
  expect(Object.keys(journal.state().texts)).toHaveLength(3);
});

it('an answer that was cut keeps its reason, also with calls', () => {
  const journal = watched();
  const agent = journal.agentAt([]);
  agent.begin();
  agent.beginStep();
  agent.giveCall('c', 'search', {});
  agent.addFacts({ finishReason: 'length' });
  agent.endStep();
  const [step] = journal.state().execution!.stepExecutions;
  expect(step!.step.inferenceResponse!.finishReason).toBe('length');
});

import { createRecorder, diagnose, eventsOf, exportTrace, importTrace, runsOf } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';
import type { Exchange, Lines } from './lines.ts';
import {
  answer,
  ask,
  askOf,
  isSoundState,
  recordingOf,
  sentRequest,
  shownRequest,
} from './programs.fixture.ts';
import { noAnswer } from './wire/api.ts';
import { apiNamed } from './wire/apis.ts';
import { chatCompletions } from './wire/chat-completions.ts';

const system = { role: 'system', content: 'You are Helper.' };
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const call = (id: string, name = 'look', args: object = { at: 'the sky' }) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const result = (tool_call_id: string, content = '3') => ({ role: 'tool', tool_call_id, content });
const tools = [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: {} } }];

/** Sends a conversation and demands that the journal shows exactly what was sent. */
function send(lines: Lines, messages: readonly object[]): Exchange {
  const body = { model: 'm', messages: [system, ...messages], tools };
  const exchange = ask(lines, body);
  const { messages: sent } = chatCompletions.request(body, '', lines.items);
  expect(shownRequest(exchange.line)).toEqual(sentRequest(sent));
  return exchange;
}

describe('lines of programs', () => {
  it('a conversation belongs to its program, and a call without tools and history to the single calls', () => {
    for (const program of [undefined, 'python agent.py']) {
      const { lines, hub } = recordingOf(program);
      const programs = () => hub.sources().map(({ journal }) => journal.state().context.metadata['program']);
      answer(lines, send(lines, [user('With tools')]), assistant('A'));
      const said = [user('Title?')];
      const failed = ask(lines, { model: 'm', messages: said });
      lines.take(failed, { ...noAnswer, error: '529' });
      lines.end(failed, false, 1);
      answer(lines, ask(lines, { model: 'm', messages: said }), assistant('B'));
      expect(programs()).toEqual([program ?? 'test', 'Single calls']);
      ask(lines, { model: 'm', messages: [...said, assistant('B'), user('More')] });
      expect(programs()).toEqual([program ?? 'test', program ?? 'test']);
    }
  });

  it('a loop of calls and results is one run, and its next question another one', () => {
    const { lines, hub } = recordingOf();
    const recorder = createRecorder({ hub });
    const said: object[] = [user('What is up?')];
    for (const reply of [call('1'), assistant('The sky.'), call('2'), assistant('Clouds.')]) {
      answer(lines, send(lines, said), reply);
      said.push(reply);
      if ('tool_calls' in reply) said.push(result((reply.tool_calls as { id: string }[])[0]!.id));
      else said.push(user('What else?'));
    }
    const [source] = hub.sources();
    const record = recorder.read(source!);
    expect(hub.sources()).toHaveLength(1);
    expect(source!.name).toBe('≈ Helper');
    expect(runsOf(record).map(({ request }) => request)).toEqual(['What is up?', 'What else?']);
    expect(diagnose(record)).toEqual([]);
    const { execution } = source!.journal.state();
    expect(execution!.status).toBe('completed');
    expect(
      execution!.stepExecutions.map(({ step }) => step.toolExecutions.map(({ status }) => status)),
    ).toEqual([['completed'], []]);
    expect(isSoundState(source!.journal.state())).toBe(true);
    importTrace(JSON.stringify(exportTrace(record, { name: 'x' }).document));
    recorder.dispose();
  });

  it('a conversation that was compacted or trimmed goes on, with exactly what was sent', () => {
    const { lines, hub } = recordingOf();
    const first = [user('Begin'), call('1'), result('1')];
    answer(lines, send(lines, first.slice(0, 1)), first[1]!);
    answer(lines, send(lines, first), call('2'));
    const compacted = [user('Summary: it began.'), call('2'), result('2')];
    answer(lines, send(lines, compacted), call('3'));
    answer(lines, send(lines, [...compacted, call('3'), result('3')]), assistant('Done'));
    answer(lines, send(lines, [assistant('Done'), user('And now?')]), assistant('Nothing.'));
    expect(hub.sources()).toHaveLength(1);
  });

  it('an edited question replaces what followed it, and a new answer is a run of its own', () => {
    const { lines, hub } = recordingOf();
    const begin = [user('one'), assistant('1')];
    answer(lines, send(lines, begin.slice(0, 1)), begin[1]!);
    answer(lines, send(lines, [...begin, user('two')]), assistant('2'));
    answer(lines, send(lines, [...begin, user('two, edited')]), assistant('2b'));
    const { context } = hub.sources()[0]!.journal.state();
    const texts = context.store.sections.flatMap(({ messages }) =>
      messages.map(({ parts }) => (parts[0] as { text: string }).text),
    );
    expect(texts).toEqual(['one', '1', 'two, edited', '2b']);
    expect(hub.sources()).toHaveLength(1);
  });

  it('a failed request that is sent again is the second attempt of one model call', () => {
    const { lines, hub } = recordingOf();
    const recorder = createRecorder({ hub });
    const failed = send(lines, [user('Hello')]);
    lines.take(failed, { ...noAnswer, error: '529 Overloaded' });
    lines.end(failed, false, 1);
    answer(lines, send(lines, [user('Hello')]), assistant('Hi'));
    const record = recorder.read(hub.sources()[0]!);
    expect(eventsOf(record).filter(({ event }) => event.type === 'inference-retry')).toHaveLength(1);
    expect(diagnose(record)).toEqual([]);
    expect(record.state.execution).toMatchObject({ status: 'completed' });
    expect(record.state.execution!.stepExecutions).toHaveLength(1);
    recorder.dispose();
  });

  it('a conversation whose task is in the arguments of an open call is its subagent, marked as a guess', () => {
    const { lines, hub } = recordingOf();
    const task = { task: 'Find the height of Mont Blanc' };
    const names: string[] = [];
    answer(lines, send(lines, [user('Research it')]), call('1', 'research', task));
    hub.sources()[0]!.journal.subscribe((event) => {
      if (event.type === 'subagent-start') names.push(event.name);
    });
    const inner = send(lines, [user('Find the height of Mont Blanc')]);
    answer(lines, inner, assistant('4808 m'));
    expect(inner.line.path).toHaveLength(1);
    expect(names).toEqual(['≈ Helper']);
    const [source] = hub.sources();
    expect(JSON.stringify(source!.journal.state())).toContain('Guessed: its task');
    expect(JSON.stringify(source!.journal.state())).toContain('"recordedName":"≈ Helper"');
    answer(
      lines,
      send(lines, [user('Research it'), call('1', 'research', task), result('1', '4808 m')]),
      assistant('It is 4808 m high.'),
    );
    expect(hub.sources()).toHaveLength(1);
    expect(JSON.stringify(hub.sources()[0]!.journal.state())).toContain(
      'The result of the call is its answer.',
    );
  });

  it('calls whose results were never sent end with their program, and are no fault', () => {
    const { lines, hub } = recordingOf();
    const recorder = createRecorder({ hub });
    answer(lines, send(lines, [user('Loop')]), call('1'));
    answer(lines, send(lines, [user('Loop'), call('1'), result('1')]), call('2', 'look', { at: 'sea' }));
    lines.close('The program has ended.');
    const record = recorder.read(hub.sources()[0]!);
    expect(diagnose(record)).toEqual([]);
    expect(record.state.execution!.status).toBe('stopped');
    recorder.dispose();
  });

  it('results without ids answer the calls of Gemini in their order', () => {
    const { lines, hub } = recordingOf();
    const contents: object[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
    const first = askOf(lines, 'gemini', { contents }, '/v1beta/models/gemini-x:generateContent');
    const calls = ['Oslo', 'Rome'].map((city) => ({ functionCall: { name: 'weather', args: { city } } }));
    const content = { role: 'model', parts: calls };
    lines.take(first, apiNamed('gemini')!.answer([{ candidates: [{ content, finishReason: 'STOP' }] }]));
    lines.end(first, false, 1);
    contents.push(content, {
      role: 'user',
      parts: [3, 21].map((degrees) => ({ functionResponse: { name: 'weather', response: { degrees } } })),
    });
    const second = askOf(lines, 'gemini', { contents });
    expect(second.line).toBe(first.line);
    const { stepExecutions } = hub.sources()[0]!.journal.state().execution!;
    expect(
      stepExecutions[0]!.step.toolExecutions.map(({ toolCall, result: output }) => [toolCall.input, output]),
    ).toEqual([
      [{ city: 'Oslo' }, { degrees: 3 }],
      [{ city: 'Rome' }, { degrees: 21 }],
    ]);
  });

  it('an answer that names the one before it goes on with its conversation', () => {
    const { lines } = recordingOf();
    const first = askOf(lines, 'responses', { input: 'one', tools });
    const output = [
      { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '1' }] },
    ];
    lines.take(first, apiNamed('responses')!.answer([{ id: 'resp_1', status: 'completed', output }]));
    lines.end(first, false, 1);
    const second = askOf(lines, 'responses', { input: 'two', tools, previous_response_id: 'resp_1' });
    expect(second.line).toBe(first.line);
    expect(shownRequest(second.line)).toEqual(['user|one', 'assistant|1', 'user|two']);
  });
});

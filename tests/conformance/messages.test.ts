import { AgentState, AgentStep, Message, MessageStore, selectedSections } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, expectRun, final, roundTrip } from './fixtures.ts';

const [summary, buffer, recent] = ['SUMMARY', 'BUFFER', 'RECENT'].map((text) => Message.user(text)) as [
  Message,
  Message,
  Message,
];
const store = MessageStore.of([
  { name: 'messages', messages: [recent] },
  { name: 'buffer', messages: [buffer] },
  { name: 'summary', messages: [summary] },
]);

describe('messages of a run', () => {
  it('129 messages of a step with tools are tagged as its trace; those of the user are not', async () => {
    const { state } = await expectRun([call(), final()]).toEnd('completed', 'completed');
    const [step] = AgentState.steps(state);
    const tags = {
      step_id: step?.id,
      execution_id: state.execution?.executionId,
      agent_id: state.agentId,
      is_trace: true,
    };
    expect(step?.outputMessages.map(({ metadata }) => metadata)).toEqual([tags, tags]);
    const [user, asking, result] = AgentState.messages(state);
    expect([asking?.metadata, result?.metadata]).toEqual([tags, tags]);
    for (const tag of Object.keys(tags)) expect(user?.metadata).not.toHaveProperty(tag);
  });

  it('130 messages of a final step are tagged, without is_trace', async () => {
    const { state } = await expectRun([final()]).toEnd('completed', 'completed');
    expect(AgentState.messages(state).at(-1)?.metadata).toEqual({
      step_id: AgentState.lastStep(state)?.id,
      execution_id: state.execution?.executionId,
      agent_id: state.agentId,
    });
  });

  it('131 a step without messages leaves the context unchanged', () => {
    const state = asked();
    expect(AgentState.withCurrentStep(state, AgentStep.of()).context).toBe(state.context);
  });
});

describe('sections', () => {
  it('133 sections are compiled as they are chosen, in their own order', () => {
    const state = AgentState.withMessageStore(AgentState.create(), store);
    const compile = (...names: string[]): string[] => {
      const list = MessageStore.compile(store, names).map(Message.text);
      expect(selectedSections(names)(state).map(Message.text)).toEqual(list);
      return list;
    };
    expect(compile('summary', 'buffer', 'messages')).toEqual(['SUMMARY', 'BUFFER', 'RECENT']);
    expect(compile('summary', 'nope', 'messages')).toEqual(['SUMMARY', 'RECENT']);
    expect(compile()).toEqual(['RECENT']);
    expect(compile('nope', 'nothing')).toEqual([]);
    expect(MessageStore.compile(store).map(Message.text)).toEqual(['SUMMARY', 'BUFFER', 'RECENT']);
  });

  it('135 sections that are missing are empty, appending nothing changes nothing, and names are unique', () => {
    const before = structuredClone(store);
    expect(MessageStore.section(store, 'nope')).toEqual([]);
    expect(MessageStore.append(store, [], 'nope')).toBe(store);
    expect(MessageStore.append(store, [])).toBe(store);
    expect(store).toEqual(before);
    expect(() => MessageStore.of([...store.sections, { name: 'buffer', messages: [] }])).toThrow(
      /"buffer" is given twice/,
    );
  });

  it('135 sections that a document names twice are merged in order', () => {
    const state = AgentState.withMessageStore(AgentState.create(), store);
    const document = JSON.stringify(AgentState.toJSON(state)).replace('"name":"buffer"', '"name":"messages"');
    const read = AgentState.fromJSON(JSON.parse(document));
    expect(AgentState.store(read).sections.map(({ name }) => name)).toEqual(['summary', 'messages']);
    expect(AgentState.messages(read).map(Message.text)).toEqual(['BUFFER', 'RECENT']);
  });
});

describe('a message', () => {
  it('136 a message of an unknown role is refused, and one of an empty role belongs to the user', () => {
    expect(() => Message.of('robot' as never, 'x')).toThrow(
      expect.objectContaining({ code: 'message-invalid', message: expect.stringContaining('"robot"') }),
    );
    expect(Message.of('', 'x').role).toBe('user');
  });

  it('137 a message keeps its id and time through every change and a round trip', async () => {
    const message = Message.user('Hello', { createdAt: 1_767_225_600_123 });
    const kept = { id: message.id, createdAt: message.createdAt };
    expect(Message.withMetadata(message, { a: 1 })).toMatchObject({ ...kept, metadata: { a: 1 } });
    const state = AgentState.withUserMessage(AgentState.create(), message);
    const { state: end } = await expectRun([call(), final()], {}, { state }).toEnd('completed', 'completed');
    expect(AgentState.messages(end)[0]).toMatchObject(kept);
    const stamps = (of: AgentState): unknown =>
      AgentState.messages(of).map(({ id, createdAt }) => [id, createdAt]);
    expect(stamps(roundTrip(end))).toEqual(stamps(end));
  });
});

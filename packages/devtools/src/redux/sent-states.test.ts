import { AgentState, Message } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { createSentStates, shownDocument } from './sent-states.ts';

const empty = AgentState.create();
const said = (state: AgentState, text: string): AgentState => AgentState.withUserMessage(state, text);
const withSecret = (state: AgentState, password: string): AgentState =>
  AgentState.withMetadata(state, { password });

/** The extension returns states as JSON. */
const document = (state: AgentState): { metadata?: Record<string, unknown> } =>
  JSON.parse(JSON.stringify(shownDocument(state))) as object;

describe('a state that the extension sends back', () => {
  it('an unchanged state from the extension is the original one with its secrets', () => {
    const first = withSecret(said(empty, 'token: sk-abcdefgh12345678'), 'hunter2');
    const second = withSecret(said(first, 'Go on'), 'hunter3');
    const states = createSentStates(() => second);
    states.begin(first);
    states.add(second);
    expect(JSON.stringify(document(first))).not.toMatch(/hunter|abcdefgh/);
    expect(states.read(document(first))).toBe(first);
    expect(states.read(JSON.stringify(document(second)))).toBe(second);
    expect(states.ofAction(0, 'nothing')).toBe(first);
  });

  it('an edited state gets its redacted values back', () => {
    const current = withSecret(said(empty, 'Hello'), 'hunter2');
    const states = createSentStates(() => current);
    const edited = document(current);
    edited.metadata = { ...edited.metadata, note: 'by hand' };
    const read = states.read(edited);
    expect(read && AgentState.metadata(read)).toEqual({ password: 'hunter2', note: 'by hand' });
  });

  it('an edited state is rejected when a redacted value cannot be restored', () => {
    const current = withSecret(said(empty, 'Hello'), 'hunter2');
    const states = createSentStates(() => current);
    const edited = document(current);
    edited.metadata = { other: { password: '•••' } };
    expect(states.read(edited)).toBeNull();
    const foreign = document(withSecret(empty, 'swordfish'));
    foreign.metadata = { ...foreign.metadata, token: '•••' };
    expect(states.read(foreign)).toBeNull();
    expect(states.read('{')).toBeNull();
    expect(states.read({ metadata: {} })).toBeNull();
  });

  it('a state may contain the redaction mark itself', () => {
    const current = said(empty, 'It said •••');
    const states = createSentStates(() => current);
    const edited = document(current);
    edited.metadata = { note: 'by hand' };
    const read = states.read(edited);
    expect(read && AgentState.messages(read).map(Message.text)).toEqual(['It said •••']);
  });

  it('an import is not confused with states of the earlier history', () => {
    const [first, second] = [said(empty, 'one'), said(empty, 'two')];
    const states = createSentStates(() => second);
    states.begin(first);
    states.add(second);
    states.skipTo(7);
    expect(states.ofAction(0, document(second))).toBe(second);
    states.add(first);
    expect(states.ofAction(7, null)).toBe(first);
  });
});

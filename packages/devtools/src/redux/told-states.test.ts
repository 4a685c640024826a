import { AgentState, Message } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { shownDocument } from './shown-document.ts';
import { createToldStates } from './told-states.ts';

const empty = AgentState.create();
const said = (state: AgentState, text: string): AgentState => AgentState.withUserMessage(state, text);
const withSecret = (state: AgentState, password: string): AgentState =>
  AgentState.withMetadata(state, { password });

/** What comes back from the extension is JSON. */
const document = (state: AgentState): { metadata?: Record<string, unknown> } =>
  JSON.parse(JSON.stringify(shownDocument(state))) as object;

describe('a state that comes back from the extension', () => {
  it('is the one that was told, with what was taken out of it', () => {
    const first = withSecret(said(empty, 'token: sk-abcdefgh12345678'), 'hunter2');
    const second = withSecret(said(first, 'Go on'), 'hunter3');
    const states = createToldStates(() => second);
    states.begin(first);
    states.add(second);
    expect(JSON.stringify(document(first))).not.toMatch(/hunter|abcdefgh/);
    expect(states.read(document(first))).toBe(first);
    expect(states.read(JSON.stringify(document(second)))).toBe(second);
    expect(states.ofAction(0, 'nothing')).toBe(first);
  });

  it('has what was taken out put back where it was edited elsewhere', () => {
    const current = withSecret(said(empty, 'Hello'), 'hunter2');
    const states = createToldStates(() => current);
    const edited = document(current);
    edited.metadata = { ...edited.metadata, note: 'by hand' };
    const read = states.read(edited);
    expect(read && AgentState.metadata(read)).toEqual({ password: 'hunter2', note: 'by hand' });
  });

  it('is refused where something is left that was taken out', () => {
    const current = withSecret(said(empty, 'Hello'), 'hunter2');
    const states = createToldStates(() => current);
    const edited = document(current);
    edited.metadata = { other: { password: '•••' } };
    expect(states.read(edited)).toBeNull();
    const foreign = document(withSecret(empty, 'swordfish'));
    foreign.metadata = { ...foreign.metadata, token: '•••' };
    expect(states.read(foreign)).toBeNull();
    expect(states.read('{')).toBeNull();
    expect(states.read({ metadata: {} })).toBeNull();
  });

  it('may hold the sign for a secret where the state itself does', () => {
    const current = said(empty, 'It said •••');
    const states = createToldStates(() => current);
    const edited = document(current);
    edited.metadata = { note: 'by hand' };
    const read = states.read(edited);
    expect(read && AgentState.messages(read).map(Message.text)).toEqual(['It said •••']);
  });

  it('is not taken for one of another history after an import', () => {
    const [first, second] = [said(empty, 'one'), said(empty, 'two')];
    const states = createToldStates(() => second);
    states.begin(first);
    states.add(second);
    states.skipTo(7);
    expect(states.ofAction(0, document(second))).toBe(second);
    states.add(first);
    expect(states.ofAction(7, null)).toBe(first);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { create } from '../graph/agent-state/create.ts';
import { type MessagePart, assistant, type Message, tool, user } from '../graph/message.ts';
import { append } from '../graph/message-store.ts';
import type { AgentState } from '../graph/types.ts';
import { allSections, conversationWithCurrentToolTrace, selectedSections } from './compilers.ts';
import { pairToolCalls } from '../graph/pair-tool-calls.ts';

const callPart = (id: string): MessagePart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 't',
  input: {},
  providerCallId: null,
});
const call = (...ids: string[]): Message => assistant(ids.map(callPart));
const result = (id: string): Message => tool({ toolCallId: id, toolName: 't', output: id });
/** Copies, so that no memoised value of the messages applies. */
const fresh = (messages: readonly Message[]): Message[] => messages.map((message) => ({ ...message }));
const said = (state: AgentState, ...messages: Message[]): AgentState => ({
  ...state,
  context: { ...state.context, store: append(state.context.store, messages) },
});
const ids = (messages: readonly Message[]): string[] => messages.map(({ id }) => id);

describe('the message compilers', () => {
  it('a compiler returns the same array for the same state, also when traces are left out and calls have no result', () => {
    const trace = { ...call('x'), metadata: { is_trace: true, execution_id: 'earlier' } };
    const fit = said(create(), user('a'), trace, call('z'), result('z'));
    expect(conversationWithCurrentToolTrace(fit)).toHaveLength(3);
    expect(conversationWithCurrentToolTrace(fit)).toBe(conversationWithCurrentToolTrace(fit));
    const state = said(create(), user('a'), trace, call('y'), user('b'));
    for (const compile of [
      conversationWithCurrentToolTrace,
      allSections,
      selectedSections(['messages', 'buffer']),
    ]) {
      expect(compile(state)).toBe(compile(state));
      expect(compile(state).filter(({ role }) => role === 'tool').length).toBeGreaterThan(0);
    }
  });
});

describe('the pairing of calls with results', () => {
  it('pairing gives the same result as a fresh one, however lists grow, fork and alternate', () => {
    const piece = fc.oneof(
      fc.constant(() => user('x')),
      fc.constantFrom('a', 'b', 'c').map((id) => () => call(id)),
      fc.constantFrom('a', 'b', 'c').map((id) => () => result(id)),
      fc.constantFrom(['a', 'b'], ['a', 'a']).map((of) => () => call(...of)),
      fc.constant(() => ({ ...result('a'), parts: [] })),
    );
    const growth = fc.record({ of: fc.nat(3), pieces: fc.array(piece, { minLength: 1, maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(growth, { maxLength: 8 }), (steps) => {
        const lists: Message[][] = [[], [], [], []];
        for (const { of, pieces } of steps) {
          const grown = [...(lists[of] ?? []), ...pieces.map((make) => make())];
          lists[of] = grown;
          // A fork continues from the same messages.
          lists[(of + 1) % 4] = grown.slice();
          for (const list of lists) expect(ids(pairToolCalls(list))).toEqual(ids(pairToolCalls(fresh(list))));
        }
      }),
      {
        numRuns: Number(process.env['PROVE_RUNS'] ?? 100),
        examples: [
          // Results in another order than their calls, and then a call without a result.
          [
            [
              { of: 0, pieces: [() => call('a', 'b'), () => result('b'), () => result('a')] },
              { of: 0, pieces: [() => call('c')] },
            ],
          ],
        ],
      },
    );
  });

  it('pairing keeps results in the order of their arrival, whatever else is missing', () => {
    const list = [call('a', 'b'), result('b'), result('a')];
    expect(pairToolCalls(list)).toBe(list);
    const longer = fresh([...list, call('c')]);
    expect(ids(pairToolCalls(longer)).slice(0, 4)).toEqual(ids(longer));
    expect(pairToolCalls(longer)).toHaveLength(5);
  });

  it('pairing notices a message that was removed from the middle of a known list', () => {
    const [question, asked, answered, last] = [user('x'), call('a'), result('a'), user('y')];
    pairToolCalls([question, asked, answered, last]);
    const edited = [question, asked, user('instead'), last];
    expect(ids(pairToolCalls(edited))).toEqual(ids(pairToolCalls(fresh(edited))));
    expect(pairToolCalls(edited)).toHaveLength(5);
  });

  it('pairing examines only new messages, in two conversations that share their beginning too', () => {
    let looks = 0;
    const counted = (message: Message): Message => ({
      ...message,
      get parts() {
        looks++;
        return message.parts;
      },
    });
    const start = Array.from({ length: 500 }, (_, index) => [
      user('x'),
      call(`c${index}`),
      result(`c${index}`),
    ])
      .flat()
      .map(counted);
    // A permanent gap: a call that never got its result.
    start.splice(10, 0, counted(call('lost')));
    let [left, right] = [start, start];
    pairToolCalls(start);
    for (let step = 0; step < 3; step++) {
      left = [...left, counted(user('left'))];
      right = [...right, counted(user('right'))];
      // The first step of the second conversation is a fresh one.
      if (step === 1) looks = 0;
      const results = [pairToolCalls(left), pairToolCalls(right)];
      expect(results.map((list) => list.length)).toEqual([left.length + 1, right.length + 1]);
    }
    expect(looks).toBeLessThan(40);
  });
});

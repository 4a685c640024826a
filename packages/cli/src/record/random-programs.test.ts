import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { answer, ask, recordingOf, sentRequest, shownRequest } from './programs.fixture.ts';
import type { Line } from './line.ts';
import { noAnswer } from './wire/api.ts';
import { chatCompletions } from './wire/chat-completions.ts';

// Random programs, whose requests come in any order: each request belongs to the conversation that made it.

/** The number of random programs; more in `npm run prove`. */
const runs = Number(process.env['PROVE_RUNS'] ?? 60);

type Move = {
  readonly who: number;
  readonly what: 'ask' | 'edit' | 'trim' | 'fail' | 'again';
  readonly isCall: boolean;
  readonly text: number;
};

const moves = fc.array(
  fc.record<Move>({
    who: fc.nat(4),
    what: fc.constantFrom('ask', 'ask', 'ask', 'edit', 'trim', 'fail', 'again'),
    isCall: fc.boolean(),
    text: fc.nat(2),
  }),
  { minLength: 5, maxLength: 40 },
);

/** A conversation of a program: its messages, and how many of its beginning are dropped. */
type Talk = { messages: object[]; dropped: number };

it('random programs with edits, trims, failures and calls have no wrong join, and exactly their prompts', () => {
  fc.assert(
    fc.property(moves, (all) => {
      const { lines } = recordingOf();
      const talks: Talk[] = Array.from({ length: 5 }, () => ({ messages: [], dropped: 0 }));
      const owners = new Map<Line, number>();
      let count = 0;
      for (const { who, what, isCall, text } of all) {
        const talk = talks[who]!;
        const { messages } = talk;
        if (what === 'trim' && messages.length > 4) talk.dropped = messages.length - 2;
        if (what === 'edit')
          messages.length = Math.max(
            0,
            messages.findLastIndex((one) => 'user' in one),
          );
        const last = messages.at(-1) as { tool_calls?: { id: string }[] } | undefined;
        if (what !== 'again' || messages.length === 0)
          if (last?.tool_calls !== undefined)
            messages.push(
              ...last.tool_calls.map(({ id }) => ({
                role: 'tool',
                tool_call_id: id,
                content: `result ${text}`,
              })),
            );
          else messages.push({ role: 'user', content: `talk ${who}: word ${text}, ${count}`, user: true });
        const sent = [{ role: 'system', content: 'You are Random.' }, ...messages.slice(talk.dropped)];
        const isOwn = messages
          .slice(talk.dropped)
          .some((one) => JSON.stringify(one).includes(`talk ${who}:`));
        const exchange = ask(lines, { model: 'm', messages: sent });
        const { messages: wire } = chatCompletions.request({ messages: sent }, '', lines.items);
        expect(shownRequest(exchange.line)).toEqual(sentRequest(wire));
        const owner = owners.get(exchange.line) ?? who;
        owners.set(exchange.line, owner);
        // What was dropped to results without a word of its own may belong to anybody.
        if (isOwn) expect(owner).toBe(who);
        if (what === 'fail') {
          lines.take(exchange, { ...noAnswer, error: '529' });
          lines.end(exchange, false, 1);
          continue;
        }
        count++;
        const reply = isCall
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: `call ${count}`, function: { name: 'look', arguments: `{"n":${count}}` } }],
            }
          : { role: 'assistant', content: `answer ${count}` };
        answer(lines, exchange, reply);
        messages.push(reply);
      }
    }),
    { numRuns: runs },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as AgentState from '../../run/agent-state.ts';
import { user, type Message } from '../message.ts';
import type { AgentState as State } from '../types.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange } from '../../run/events.ts';
import { agentOf } from '../../run/random-agent.fixture.ts';
import { plan } from '../../run/random-plan.fixture.ts';
import { runAll } from '../../run/random-runs.fixture.ts';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import { MessageTable } from './message-table.ts';
import { takeMessage } from './document.ts';

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const documentOf: (state: State) => unknown = AgentState.toJSON;
const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 10) };

describe('the documents of equal states', () => {
  it(
    'equal states have equal documents, whether the state was run, folded or read',
    { timeout: 1_800_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const env = fixedEnv();
          const { base, entries } = await runAll(
            planned,
            agentOf(planned, new Map()),
            env,
            ask('Hello', env),
          );
          let folded = json(base);
          for (const { event, state } of entries) {
            folded = apply(folded, json(event as AgentChange));
            const lived = documentOf(state);
            expect(documentOf(folded)).toEqual(lived);
            expect(documentOf(AgentState.fromJSON(lived))).toEqual(lived);
            expect(documentOf(json(state))).toEqual(lived);
          }
        }),
        runs,
      );
    },
  );
});

const note = user('First', {}, fixedEnv());
const say = (text: string): Message => ({ ...note, parts: [{ type: 'text', text }] });
const reorder = ({ id, ...rest }: Message): Message => ({ ...rest, id });

describe('the messages of a document', () => {
  it('a message is in a document once for each content, whichever objects hold it', () => {
    const [first, second] = [say('First'), say('Second')];
    const shared = new MessageTable();
    const ranges = [[first, second], [first], [second, first]].map((list) => shared.rangesOf(list));
    const apart = new MessageTable();
    const lists = [
      [say('First'), say('Second')],
      [reorder(say('First'))],
      [say('Second'), reorder(say('First'))],
    ];
    expect(lists.map((list) => apart.rangesOf(list))).toEqual(ranges);
    expect(apart.messages).toEqual(shared.messages);
    expect(apart.messages).toHaveLength(2);
    expect(apart.placeOf(note.id)).toBe(shared.placeOf(note.id));
  });

  it('each message is examined once more, however many contents an id had', () => {
    const count = 500;
    let looks = 0;
    const watched = (text: string): Message => ({
      ...note,
      get parts() {
        looks++;
        return [{ type: 'text' as const, text }];
      },
    });
    const table = new MessageTable();
    for (let time = 0; time < 2; time++)
      table.rangesOf(Array.from({ length: count }, (_, at) => watched(`Revision ${at}`)));
    expect(table.messages).toHaveLength(count);
    expect(looks).toBeLessThanOrEqual(2 * count);
  });

  it('a message that is no JSON is left for the writer to reject', () => {
    const circle: { [key: string]: unknown } = {};
    circle['self'] = circle;
    const broken = { ...note, metadata: circle } as unknown as Message;
    const table = new MessageTable();
    table.rangesOf([note, broken]);
    expect(table.messages).toContain(broken);
    expect(() => table.messages.map(takeMessage)).toThrow(expect.objectContaining({ code: 'state-invalid' }));
  });
});

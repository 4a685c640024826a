import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import type { TabDocument } from '@vitrine/core/internal/session/machine/session-model';
import { linkFromJSON, linkToJSON } from './link-json.ts';
import type { LinkMessage } from './protocol.ts';

type DocumentMessage = Extract<LinkMessage, { readonly type: 'document' }>;

function written(document: TabDocument): string {
  const message = { type: 'document', term: 1, n: 1, to: null, at: null, document, view: {} };
  return JSON.stringify(linkToJSON(message as unknown as DocumentMessage));
}

function read(text: string): TabDocument {
  return (linkFromJSON(JSON.parse(text) as JsonValue) as DocumentMessage).document;
}

function documentOf({ store }: AgentSession): TabDocument {
  const { state, tree } = store.getState();
  return { journalId: 'a', earlier: ['b'], state, tree };
}

const move = fc.record({ kind: fc.constantFrom('send', 'edit', 'regenerate', 'switch'), at: fc.nat(20) });

/** Plays moves in a session: each makes a turn or goes to another branch. */
async function play(moves: readonly { readonly kind: string; readonly at: number }[]): Promise<TabDocument> {
  const agent = scriptedAgent(moves.map(() => ({ text: 'An answer of a few words, as it were' })));
  const session = createAgentSession({ agent, publish: 'immediate' });
  for (const { kind, at } of moves) {
    const { state, tree } = session.store.getState();
    const said = section(state.context.store).filter(({ role }) => role === 'user');
    const chosen = said[at % said.length]?.id ?? '';
    const other = tree.branches[at % tree.branches.length];
    if (kind === 'edit' && said.length > 0) await session.edit(chosen, `Edit ${at}`);
    else if (kind === 'regenerate' && said.length > 0) await session.regenerate();
    else if (kind === 'switch' && other !== undefined)
      await session.switchBranch(section(other.state.context.store).at(-1)?.id ?? '');
    else await session.sendMessage(`Message ${at}`);
  }
  return documentOf(session);
}

describe('a document of a link', () => {
  it('state, branches and checkpoints of a random session are equal when they are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 20 }), async (moves) => {
        const document = await play(moves);
        expect(read(written(document))).toEqual(document);
      }),
      { numRuns: 60 },
    );
  });

  it('messages are written once, however many turns and branches share them', async () => {
    const turns = Array.from({ length: 80 }, () => ({ kind: 'send', at: 0 }));
    const edits = Array.from({ length: 10 }, (_, at) => ({ kind: 'edit', at: 79 - at }));
    const said = await play([...turns, { kind: 'edit', at: 1 }, { kind: 'switch', at: 0 }, ...edits]);
    const alone = { ...said, tree: { branches: [], checkpoints: [] } };
    expect(said.tree.branches.length).toBeGreaterThan(8);
    expect(written(said).length).toBeLessThan(2.5 * written(alone).length);
  });

  it('a document that names a message that is not there is refused', async () => {
    const said = await play([
      { kind: 'send', at: 0 },
      { kind: 'edit', at: 0 },
    ]);
    const text = written(said);
    const damaged = text.replace(/("branches":.*?"messages":\[)\d/, (_, before: string) => `${before}99`);
    expect(damaged).not.toBe(text);
    expect(() => read(damaged)).toThrow(/it names message 99 of \d/);
  });
});

describe('a batch of a link', () => {
  const ended = { type: 'step-end', resultMessageIds: [], durationMs: 1, toolTrace: 'tagged' };
  const event = { ...ended, seq: 2, at: 1, path: [] };
  it.each([
    ['a whole event', event, 'batch'],
    ['an event with a wrong field', { ...event, durationMs: 'long' }, 'lost'],
    ['an event of an unknown type', { ...event, type: 'step-over' }, 'lost'],
    ['a signal of an unknown type', { ...event, type: 'step-over', seq: null }, 'batch'],
  ])('a batch with %s is read so that its follower asks for what it cannot apply', (_what, given, type) => {
    const batch = { type: 'batch', term: 1, n: 2, events: [given], view: {} } as unknown as LinkMessage;
    expect(linkFromJSON(linkToJSON(batch))?.type).toBe(type);
    const records = { ...batch, type: 'records', records: [], preview: [given] } as unknown as LinkMessage;
    expect(linkFromJSON(linkToJSON(records))?.type).toBe(type === 'lost' ? 'lost' : 'records');
  });
});

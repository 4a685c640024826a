import { type Plugin } from '../../agent/plugin/plugin.ts';
import { defineTool } from '../../agent/tool.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { section } from '../../graph/message-store.ts';
import { text, type Message } from '../../graph/message.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession } from '../agent-session.ts';
import * as z from 'zod';
import { definePlugin } from '../../features/define-plugin.ts';

/** A plugin that records the agent's notes on the branch where they were made. */
export const diary: Plugin<string[]> = definePlugin({
  id: 'diary',
  state: z.array(z.string()),
  initial: [],
  tools: [
    defineTool({
      name: 'note',
      description: 'Notes a word',
      input: z.object({ word: z.string() }),
      execute({ word }, ctx) {
        ctx.own<string[]>().update((words = []) => [...words, word]);
        return `noted ${word}`;
      },
    }),
  ],
});

/**
 * An agent that notes messages with `note`, twice those with `note twice`, and answers with the number of its
 * answers.
 */
export function diarist({ delayMs = 0 } = {}): AgentDefinition {
  let answers = 0;
  return scriptedAgent(
    [
      ({ messages }) => {
        const asked = messages.findLastIndex(({ role }) => role === 'user');
        const said = text(messages[asked] as Message);
        const noted = messages.slice(asked).filter(({ role }) => role === 'tool').length;
        const wanted = said.startsWith('note twice') ? 2 : said.startsWith('note') ? 1 : 0;
        if (said.startsWith('fail')) return { error: new Error('gone') };
        if (noted < wanted)
          return { toolCalls: [{ name: 'note', input: { word: `${said} ${noted + 1}` } }], delayMs };
        return { text: `answer ${++answers}`, chunks: 3, delayMs };
      },
    ],
    { plugins: [diary], retry: { maxAttempts: 1 } },
  );
}

export const lineOf = (session: AgentSession): readonly Message[] =>
  section(session.store.getState().state.context.store);

/** The messages of user and agent, without traces. */
export const wordsOf = (session: AgentSession): string[] =>
  lineOf(session)
    .filter(({ role, metadata }) => role !== 'tool' && metadata['is_trace'] !== true)
    .map((message) => text(message));

export const notesOf = (session: AgentSession): unknown =>
  session.store.getState().state.plugins['diary']?.data ?? [];

/** The id of the message with this text on the active branch. */
export function idOf(session: AgentSession, words: string): string {
  const found = lineOf(session).find((message) => text(message) === words);
  if (found === undefined) throw new Error(`Nobody says ${words}: ${wordsOf(session).join(', ')}`);
  return found.id;
}

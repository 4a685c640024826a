import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { type AgentServerAdapter, Client, HttpAgentServerAdapter } from '@langchain/langgraph-sdk/client';
import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client';
import { sessionHub } from '@vitrine/inspect';
import { observeAgUi } from '@vitrine/ag-ui/observe';
import { observeChat } from '@vitrine/ai-sdk/observe';
import { observeLangGraph } from '@vitrine/langgraph/observe';
import { observeConnection } from '@vitrine/tanstack-ai';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { deltas } from '../../benches/observers/script.ts';

// node measure.ts ai-sdk|ag-ui|tanstack-ai|langgraph <address> prints the processor time of a delta with the observer / without

const [, , library = '', address = ''] = process.argv;

/** Streams one answer into the client of the library, as its quick start shows. */
const answers: Readonly<Record<string, (isWatched: boolean) => Promise<unknown>>> = {
  async 'ai-sdk'(isWatched) {
    const transport = new DefaultChatTransport<UIMessage>({ api: `${address}/ui` });
    const chat = new Chat<UIMessage>({ transport: isWatched ? observeChat(transport) : transport });
    await chat.sendMessage({ text: 'Count' });
    return chat.messages;
  },
  async 'ag-ui'(isWatched) {
    const agent = new HttpAgent({ url: `${address}/ag-ui`, threadId: crypto.randomUUID() });
    if (isWatched) observeAgUi(agent);
    agent.addMessage({ id: 'u', role: 'user', content: 'Count' });
    await agent.runAgent();
    return agent.messages;
  },
  async 'tanstack-ai'(isWatched) {
    const plain = fetchServerSentEvents(`${address}/chat`);
    const connection = isWatched ? observeConnection(plain) : plain;
    const chat = new ChatClient({ connection, threadId: crypto.randomUUID() });
    await chat.sendMessage('Count');
    return chat.getMessages();
  },
  async langgraph(isWatched) {
    // Their class does not fit their type under `exactOptionalPropertyTypes`.
    const plain = new HttpAgentServerAdapter({ apiUrl: address }) as AgentServerAdapter;
    const transport = isWatched ? observeLangGraph(plain) : plain;
    const thread = new Client({ apiUrl: address }).threads.stream(crypto.randomUUID(), {
      assistantId: 'agent',
      transport,
    });
    const events = await thread.subscribe(['messages']);
    await thread.run.start({ input: { messages: [{ type: 'human', content: 'Count' }] } });
    const texts: string[] = [];
    for await (const { params } of events) {
      const { data } = params;
      if (data.event === 'content-block-delta' && 'text' in data.delta) texts.push(data.delta.text);
      if (data.event === 'message-finish') break;
    }
    await thread.close();
    return texts;
  },
};

async function timeOf(isWatched: boolean): Promise<number> {
  const answer = answers[library];
  if (answer === undefined) throw new Error(`Say which: ${Object.keys(answers).join(', ')}.`);
  const before = process.cpuUsage();
  const messages = await answer(isWatched);
  const { user, system } = process.cpuUsage(before);
  if (JSON.stringify(messages).split('word').length !== deltas + 1) throw new Error('Not every delta came.');
  return (user + system) / deltas;
}

const times: { readonly watched: number[]; readonly plain: number[] } = { watched: [], plain: [] };
for (let round = 0; round < 14; round++) {
  const order = round % 2 === 0 ? [true, false] : [false, true];
  for (const isWatched of order) {
    const time = await timeOf(isWatched);
    // The first ones are slower, because the code is still being compiled.
    if (round >= 4) times[isWatched ? 'watched' : 'plain'].push(time);
  }
}
if (sessionHub().sources().length === 0) throw new Error('Nothing was watched.');
const middle = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
process.stdout.write(JSON.stringify({ watched: middle(times.watched), plain: middle(times.plain) }));

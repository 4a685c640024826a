import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { interrupt, MemorySaver } from '@langchain/langgraph';
import { createEmbedServer, type ThreadSaver } from '@langchain/langgraph-api/experimental/embed';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import * as z from 'zod';
import { served } from '../serve-fetch.ts';

/** An answer of the scripted model. */
export type Answer = {
  readonly reasoning?: string;
  /** Streamed by words. */
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
  readonly error?: string;
  /** Milliseconds before each word. */
  readonly delayMs?: number;
};

/** A chat model of LangChain that gives the answers of a script, and keeps what it was asked. */
class ScriptedModel extends BaseChatModel {
  readonly asked: BaseMessage[][] = [];
  readonly #script: readonly Answer[];

  constructor(script: readonly Answer[]) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  _generate(): Promise<ChatResult> {
    return Promise.reject(new Error('The scripted model only streams.'));
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
  ): AsyncGenerator<ChatGenerationChunk> {
    this.asked.push(messages);
    const number = this.asked.length;
    const id = `m${number}`;
    const chunk = (fields: object): ChatGenerationChunk =>
      new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ id, content: '', ...fields }) });
    const { reasoning, text = '', calls = [], error, delayMs } = this.#script[number - 1] ?? {};
    if (reasoning !== undefined) yield chunk({ content: [{ type: 'reasoning', reasoning, index: 0 }] });
    for (const word of text.match(/\S+\s*/g) ?? []) {
      if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
      signal?.throwIfAborted();
      yield chunk({ content: [{ type: 'text', text: word, index: 1 }] });
    }
    if (error !== undefined) throw new Error(error);
    for (const [at, { name, input }] of calls.entries()) {
      const index = 2 + at;
      const args = JSON.stringify(input);
      const begin = {
        type: 'tool_call_chunk',
        index,
        id: `call ${number} ${at}`,
        name,
        args: args.slice(0, 2),
      };
      yield chunk({ tool_call_chunks: [begin] });
      yield chunk({ tool_call_chunks: [{ type: 'tool_call_chunk', index, args: args.slice(2) }] });
    }
    const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    yield chunk({ usage_metadata });
  }
}

const schema = z.object({ n: z.number() });
type Input = z.infer<typeof schema>;
const described = (name: string): { name: string; description: string; schema: typeof schema } => ({
  name,
  description: name,
  schema,
});
const tools = [
  tool(({ n }: Input) => n * 2, described('double')),
  tool(({ n }: Input) => ({ found: [n] }), described('search')),
  tool((_input: Input) => Promise.reject(new Error('broken')), described('bad')),
  tool(
    ({ n }: Input) => ({ paid: n, said: interrupt({ question: `Pay ${n}?` }) as unknown }),
    described('pay'),
  ),
  // As the human-in-the-loop middleware asks.
  tool(({ n }: Input) => {
    const actionRequests = [{ name: 'order', args: { n }, description: `Order ${n}?` }];
    return { decided: interrupt({ actionRequests }) as unknown };
  }, described('order')),
] as readonly StructuredToolInterface[];

/** A tool that leaves its call to another agent, whose answer is its result. */
function delegating(helper: ScriptedModel): StructuredToolInterface {
  const agent = createReactAgent({ llm: helper, tools: [...tools] });
  return tool(async ({ n }: Input, config) => {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: String(n) }] }, config);
    return messages.at(-1)?.text;
  }, described('delegate')) as StructuredToolInterface;
}

export type ServedGraph = {
  readonly url: string;
  readonly model: ScriptedModel;
  /** The requests, with the bodies of commands. */
  readonly requests: readonly { readonly path: string; readonly body: unknown }[];
  /** The text of the event streams that the server sent. */
  readonly sent: readonly string[];
  /** Forgets all events, as a server that was started anew. */
  readonly restart: () => void;
};

/** A server of LangGraph.js whose graph `agent` is an agent with the tools above, and one that is a scripted agent too. */
export async function servedGraph(
  script: readonly Answer[],
  helped: readonly Answer[] = [],
): Promise<ServedGraph> {
  const model = new ScriptedModel(script);
  const all = [...tools, delegating(new ScriptedModel(helped))];
  const graph = { agent: createReactAgent({ llm: model, tools: all, version: 'v2' }) };
  const options = { graph, threads: savedThreads(), checkpointer: new MemorySaver() };
  let app = createEmbedServer(options);
  const requests: { path: string; body: unknown }[] = [];
  const sent: string[] = [];
  const address = await served(async (request) => {
    const { pathname: path } = new URL(request.url);
    requests.push({
      path,
      body: await request
        .clone()
        .json()
        .catch(() => null),
    });
    const response = await app.fetch(request);
    if (response.headers.get('content-type') !== 'text/event-stream') return response;
    const told = new TransformStream<string, string>({
      transform(text, controller) {
        sent.push(text);
        controller.enqueue(text);
      },
    });
    const body = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(told);
    return new Response(body?.pipeThrough(new TextEncoderStream()) ?? null, response);
  });
  const restart = (): void => void (app = createEmbedServer(options));
  return { url: new URL(address).origin, model, requests, sent, restart };
}

function savedThreads(): ThreadSaver {
  const threads = new Map<string, object>();
  return {
    get: (id) => Promise.resolve((threads.get(id) ?? null) as never),
    set: (id, { metadata }) => {
      const thread = { thread_id: id, metadata };
      threads.set(id, thread);
      return Promise.resolve(thread as never);
    },
    delete: (id) => Promise.resolve(void threads.delete(id)),
    // oxlint-disable-next-line eslint/require-yield -- nobody searches
    async *search() {},
  };
}

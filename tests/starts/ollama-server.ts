import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { chunk } from '../upstream/chat-chunk.ts';
import { frame, writtenStreams } from '../upstream/provider-streams.ts';

/** A server that speaks the API of Ollama, which is that of OpenAI, with one model. */
export type OllamaServer = { readonly url: string; readonly close: () => Promise<void> };

type Message = { readonly role: string; readonly content: unknown };

/**
 * Starts the server. It answers with recorded streams: with a call when it is offered `get_weather` and has no result of
 * it yet, with an answer that is cut at its length to a message with "long", with a failure to "fail", and with a text to
 * all others. It takes 10 seconds for an answer to "slowly". "three steps", "both cities", "email" and "artifact" begin calls.
 */
export async function serveOllama(port = 0): Promise<OllamaServer> {
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models')
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'llama3.2', object: 'model' }] }));
    let body = '';
    for await (const data of request.setEncoding('utf8')) body += String(data);
    const { messages, tools } = JSON.parse(body) as {
      readonly messages: readonly Message[];
      readonly tools?: unknown;
    };
    response.setHeader('content-type', 'text/event-stream');
    const at = messages.findLastIndex(({ role }) => role === 'user');
    const said = JSON.stringify(messages[at]?.content ?? '');
    // What was said in turns that failed stands before it in the same message.
    const asked = said.split(/\\n|"text":"/).at(-1) ?? '';
    // LangGraph takes an answer with the id of another for its new version.
    const id = `chatcmpl-${crypto.randomUUID()}`;
    const own = (text: string): string => text.replaceAll(/(?<=^data: \{"id":")[^"]*/gm, id);
    if (asked.includes('slowly')) return void Readable.from(slowly(own)).pipe(response);
    const results = messages.slice(at).filter(({ role }) => role === 'tool').length;
    const isNew = !messages.some(({ role }) => role === 'tool');
    // A plugin may tell something behind what was said.
    const wished = said.includes('artifact') ? said : asked;
    return response.end(
      own(callsFor(wished, results) ?? answerTo(asked, isNew, JSON.stringify(tools ?? []))),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerTo(asked: string, isNew: boolean, tools: string): string {
  if (asked.includes('long')) return stream('compatible-length');
  if (asked.includes('fail')) return stream('compatible-error');
  const isOffered = tools.includes('"name":"get_weather"') && isNew;
  return stream(isOffered ? 'compatible-tool-call' : 'compatible-text');
}

/** The calls that a message asks for, as one step; null when it asks for none, or has the results. */
function callsFor(asked: string, results: number): string | null {
  const weather = (city: string): object => call('get_weather', { city, days: 1 });
  if (asked.includes('three steps') && results < 2) return calls([weather(['Rome', 'Paris'][results]!)]);
  if (results > 0) return null;
  if (asked.includes('both cities')) return calls([weather('Rome'), weather('Paris')]);
  if (asked.includes('artifact')) {
    const [text = ''] = /(?:An|The) artifact(?: again)?/.exec(asked) ?? [];
    return calls([call('write_artifact', { id: 'a', title: 'Note', kind: 'text', text })]);
  }
  return asked.includes('email') ? calls([call('send_email', { to: 'Ann', text: 'Hi' })]) : null;
}

function call(name: string, input: object): object {
  return {
    id: `call_${crypto.randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
}

function calls(tool_calls: readonly object[]): string {
  const indexed = tool_calls.map((one, index) => ({ ...one, index }));
  return frame({
    wire: 'openai-compatible',
    chunks: [
      { delta: { role: 'assistant', content: '', tool_calls: indexed }, finish_reason: null },
      { delta: {}, finish_reason: 'tool_calls' },
    ].map((choice) => JSON.stringify({ id: 'c1', model: 'llama-test', choices: [{ index: 0, ...choice }] })),
  });
}

async function* slowly(own: (text: string) => string): AsyncGenerator<string> {
  for (let at = 0; at < 200; at++) {
    yield own(chunk('word '));
    await setTimeout(50);
  }
  yield own(stream('compatible-text'));
}

function stream(name: string): string {
  return frame(writtenStreams().find((written) => written.name === name)!);
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A provider in its own process: `node provider.ts` prints its address. It calls a tool until a conversation has three
// results, and names the conversation in each answer.

const frame = (choice: object): string =>
  `data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const [talk = ''] = /talk-\d+/.exec(body) ?? [];
  const results = body.split('"role":"tool"').length - 1;
  const call = {
    index: 0,
    id: `${talk}-${results}`,
    function: { name: 'look', arguments: `{"at":"${talk}"}` },
  };
  const isCall = body.includes('"tools"') && results < 3;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(frame({ delta: isCall ? { tool_calls: [call] } : { content: `Answer of ${talk}` } }));
  response.end(`${frame({ delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' })}data: [DONE]\n\n`);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { localChannel } from './local-channel.ts';

it('a page keeps a bounded part of what a program does not take, and connects to it again', async () => {
  let connections = 0;
  let isTaking = false;
  const taken: unknown[] = [];
  const program = createServer((request, response: ServerResponse) => {
    if (request.method === 'GET') {
      connections++;
      return void response.writeHead(200).write('data: "begun"\n\n');
    }
    let text = '';
    request.on('data', (data: Buffer) => (text += data.toString()));
    request.on('end', () => {
      // A program that is stopped takes nothing and answers nothing.
      if (!isTaking) return;
      taken.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (program.close(), program.closeAllConnections()));
  const heard: unknown[] = [];
  const channel = localChannel(`http://127.0.0.1:${(program.address() as AddressInfo).port}/#token`).open(
    (message) => heard.push(message),
  );
  onTestFinished(channel.close);
  await expect.poll(() => heard).toEqual(['begun']);
  const mebibyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 7; n++) channel.post(`${n}${mebibyte}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(connections).toBe(1);
  channel.post(mebibyte);
  isTaking = true;
  await expect.poll(() => connections, { timeout: 10_000 }).toBe(2);
  // What waited is told anew when the program asks for it.
  await expect.poll(() => taken).toMatchObject([{ message: { type: 'here' } }]);
  channel.post('later');
  await expect.poll(() => taken).toMatchObject([{ message: { type: 'here' } }, 'later']);
});

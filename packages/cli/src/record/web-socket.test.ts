import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { send, startRecording } from './recorded-programs.fixture.ts';

describe('a connection that changes its protocol', { timeout: 120_000 }, () => {
  it('a WebSocket is relayed in both directions, and one of another page or that the provider refuses is not', async () => {
    const seen: IncomingMessage[] = [];
    const server = createServer((_request, response) => void response.writeHead(426).end('{}'));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      seen.push(request);
      socket.on('error', () => undefined);
      if (request.url !== '/v1/responses') return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      // Texts of less than 126 bytes, which a client masks, and the end.
      socket.on('data', (frame: Buffer) => {
        const text = frame.subarray(6).map((byte, index) => byte ^ frame[2 + (index % 4)]!);
        if (frame[0] === 0x81) socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
        else socket.end(Buffer.from([0x88, 0]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const recording = await startRecording(['--to', `openai=http://127.0.0.1:${port}/v1`]);
    const open = (path: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${recording.base('openai').replace('http', 'ws')}${path}`);
        const texts: string[] = [];
        socket.onopen = () => socket.send('Hello.');
        socket.onmessage = ({ data }) => {
          texts.push(String(data));
          if (texts.length < 3) socket.send(`Again ${texts.length}`);
          else socket.close();
        };
        socket.onclose = () => resolve(texts.join(', '));
        socket.onerror = () => resolve('refused');
      });
    expect(await open('/responses')).toBe('Hello., Again 1, Again 2');
    expect(seen[0]!.headers).toMatchObject({ host: `127.0.0.1:${port}`, upgrade: 'websocket' });
    expect(await open('/other')).toBe('refused');
    const headers = { connection: 'Upgrade', upgrade: 'websocket', origin: 'https://evil.example' };
    const url = `${recording.base('openai')}/responses`;
    expect((await send(url, { method: 'GET', headers })).status).toBe(403);
    expect(seen).toHaveLength(2);
    // A program that breaks its connection off leaves the recorder as it is.
    const { hostname, port: own, pathname } = new URL(`${recording.base('openai')}/responses`);
    const program = connect(Number(own), hostname);
    program.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await once(program, 'data');
    program.resetAndDestroy();
    expect(await open('/responses')).toBe('Hello., Again 1, Again 2');
    recording.child.kill('SIGTERM');
    expect((await recording.ended).err).toContain('Requests: 4,');
  });
});

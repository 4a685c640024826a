import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, sayMissing, serverOf, type TestServer, untilReady } from './test-server.ts';

/** A Redis of its own that stores nothing on disk; null, said loudly, where there is none to start. */
export async function startRedis(): Promise<TestServer | null> {
  const program = findProgram('redis-server', 'redis-server');
  if (program === null) return sayMissing('Redis server', 'redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-redis-'));
  const port = await freePort();
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(program, [...options, '--dir', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  await untilReady(child, () => answersPing(port));
  return serverOf(`redis://127.0.0.1:${port}`, child, folder);
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const settle = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.once('data', (data) => settle(data.toString().startsWith('+PONG')));
    socket.once('error', () => settle(false));
    socket.setTimeout(1000, () => settle(false));
  });
}

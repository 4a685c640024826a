import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type DemoServer, startDemo } from './demo-server.ts';

let server: DemoServer | null = null;
afterEach(() => server?.stop());

/** The status of a page or an answer of the demo, asked for under a name. */
function statusUnder(host: string, path: string): Promise<number> {
  const { hostname, port } = new URL(server?.url ?? '');
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host, accept: 'text/html' } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

it('the demo answers to localhost, and to no name that another site has pointed at it', async () => {
  server = await startDemo();
  const port = new URL(server.url).port;
  for (const path of ['/', '/api/v1/models']) {
    expect(await statusUnder(`localhost:${port}`, path)).toBe(200);
    expect(await statusUnder(`127.0.0.1:${port}`, path)).toBe(200);
    expect(await statusUnder(`evil.example:${port}`, path)).toBe(403);
  }
});

it('the demo answers to the names in ALLOWED_HOSTS, with its page and its answers', async () => {
  server = await startDemo({ ALLOWED_HOSTS: 'chat.example, other.example:8443' });
  for (const path of ['/', '/api/v1/models']) {
    expect(await statusUnder('chat.example', path)).toBe(200);
    expect(await statusUnder('other.example:8443', path)).toBe(200);
    expect(await statusUnder('evil.example', path)).toBe(403);
  }
});

import type { ServerResponse } from 'node:http';

/** Writes one part after the other, each in its own task and not faster than the other side reads. */
export async function sendWrites(
  response: ServerResponse,
  all: readonly Buffer[],
  delayMs: number,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  for (const bytes of all) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await new Promise<void>((resolve) => onceFree(response, resolve));
    else await wait(delayMs);
  }
  response.end();
}

/** Waits precisely, because timers are too coarse below a few milliseconds. */
async function wait(ms: number): Promise<void> {
  if (ms > 5) return new Promise((resolve) => setTimeout(resolve, ms));
  const until = performance.now() + ms;
  do await new Promise((resolve) => setImmediate(resolve));
  while (performance.now() < until);
}

function onceFree(response: ServerResponse, run: () => void): void {
  const once = (): void => {
    response.off('drain', once);
    response.off('close', once);
    run();
  };
  response.on('drain', once);
  response.on('close', once);
}

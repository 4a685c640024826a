import worker from './worker.ts';

declare const Bun: {
  readonly env: Record<string, string>;
  readonly serve: (options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch: (request: Request) => Promise<Response>;
  }) => unknown;
};

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(Bun.env['PORT']),
  idleTimeout: 0,
  fetch: (request) => worker.fetch(request, Bun.env),
});

import worker from './worker.ts';

declare const Deno: {
  readonly env: { readonly toObject: () => Record<string, string> };
  readonly serve: (
    options: { hostname: string; port: number },
    handler: (request: Request) => Promise<Response>,
  ) => unknown;
};

const env = Deno.env.toObject();
Deno.serve({ hostname: '127.0.0.1', port: Number(env['PORT']) }, (request) => worker.fetch(request, env));

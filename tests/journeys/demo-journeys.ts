import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type DemoServer, startDemo } from './demo-server.ts';
import { closeBrowser, plainHost, visit, type VisitOptions, type Visitor } from './visitor.ts';

type Env = Readonly<Record<string, string>>;

type DemoOptions = {
  /**
   * True takes the page from its sources through Vite, for what it loads beside itself, as `npm run demo` does. Default:
   * false, one page for all, built for development: its 800 modules need not be asked for one by one.
   */
  readonly isLive?: boolean;
  /**
   * Messages that browsers report by themselves about answers of the test; they do not count as faults. Default: none.
   */
  readonly expected?: RegExp;
};

/** Options of a visit to the demo. `isPlain` comes in over plain HTTP, as on a local network. */
export type DemoVisitOptions = VisitOptions & { readonly isPlain?: boolean };

/** The demo for the tests of a file. */
export type DemoJourneys = {
  /** The address, which is known once the tests run. */
  readonly url: () => string;
  /** A person with a browser of their own comes in, at an address below that of the demo. */
  readonly visit: (options?: DemoVisitOptions, path?: string) => Promise<Visitor>;
};

/**
 * Starts the demo for the tests of a file, with an environment that may first have to be found, and ends it after them.
 * Whoever came in leaves after each test; none of them may have seen a complaint of the browser.
 */
export function demoJourneys(
  env: Env | (() => Promise<Env>) = {},
  { isLive = false, expected = /^\b$/ }: DemoOptions = {},
): DemoJourneys {
  let server: DemoServer | null = null;
  const visitors: Visitor[] = [];
  const url = (): string => server?.url ?? '';

  beforeAll(async () => {
    const own = typeof env === 'function' ? await env() : env;
    server = await startDemo(isLive ? own : { ...own, VITRINE_DEMO_PAGE: inject('demoPage') });
  }, 60_000);
  afterAll(async () => {
    await closeBrowser();
    server?.stop();
  });
  afterEach(async () => {
    const left = visitors.splice(0);
    const complaints = left.flatMap((visitor) => visitor.complaints).filter((one) => !expected.test(one));
    await Promise.all(left.map(({ context }) => context.close()));
    expect(complaints).toEqual([]);
  });
  return {
    url,
    async visit({ isPlain = false, ...options } = {}, path = '') {
      const address = new URL(path, url());
      if (isPlain) address.hostname = plainHost;
      const visitor = await visit(address.href, options);
      visitors.push(visitor);
      return visitor;
    },
  };
}

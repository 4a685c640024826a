import type { RequestListener, Server } from 'node:http';
import { builtPage } from './built-page.ts';

/** Serves the page until it is closed. */
export type PageHandler = { readonly handle: RequestListener; readonly close: () => Promise<void> };

export type PageOptions = {
  readonly root: string;
  readonly server: Server;
  /** Host names of the page besides `localhost` and IP addresses. */
  readonly allowedHosts: readonly string[];
};

/** Creates the handler of the page: the built folder, or with null the sources through Vite. */
export async function createPageHandler(
  options: PageOptions & { readonly built: string | null },
): Promise<PageHandler> {
  if (options.built !== null) return { handle: builtPage(options.built), close: async () => undefined };
  const { livePage } = await import('./live-page.ts');
  return livePage(options);
}

import type { Server } from 'node:http';
import type { Handler } from './api-handler.ts';
import { builtPage } from './built-page.ts';

/** Serves the page until it is closed. */
export type PageHandler = { readonly handle: Handler; readonly close: () => Promise<void> };

export type PageOptions = {
  readonly root: string;
  readonly server: Server;
  /** Names that the page is served under, besides `localhost` and addresses. */
  readonly allowedHosts: readonly string[];
};

/** The page: from its sources through Vite, or as it was built. */
export async function createPageHandler(
  options: PageOptions & { readonly isProduction: boolean },
): Promise<PageHandler> {
  if (options.isProduction) return { handle: builtPage(options.root), close: async () => undefined };
  const { livePage } = await import('./live-page.ts');
  return livePage(options);
}

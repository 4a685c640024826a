import type { RequestListener, Server } from 'node:http';
import { builtPage } from './built-page.ts';

/** Serves the page until it is closed. */
export type PageHandler = { readonly handle: RequestListener; readonly close: () => Promise<void> };

export type PageOptions = {
  readonly root: string;
  readonly server: Server;
  /** Names that the page is served under, besides `localhost` and addresses. */
  readonly allowedHosts: readonly string[];
};

/** The page: as it was built into a folder, or with null from its sources through Vite. */
export async function createPageHandler(
  options: PageOptions & { readonly built: string | null },
): Promise<PageHandler> {
  if (options.built !== null) return { handle: builtPage(options.built), close: async () => undefined };
  const { livePage } = await import('./live-page.ts');
  return livePage(options);
}

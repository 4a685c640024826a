import { builtPage } from './built-page.ts';
import type { PageHandler, PageOptions } from './page-options.ts';

/** Creates the handler of the page: the built folder, or with null the sources through Vite. */
export async function createPageHandler(
  options: PageOptions & { readonly built: string | null },
): Promise<PageHandler> {
  if (options.built !== null) return { handle: builtPage(options.built), close: async () => undefined };
  const { livePage } = await import('./live-page.ts');
  return livePage(options);
}

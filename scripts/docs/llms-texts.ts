import type { SitePage } from './site-pages.ts';

const about =
  '> React hooks and a devtools panel for AI agents: one immutable state, a loop with budgets and stop signals, sessions that survive reloads, a proxy that keeps the keys.';

/** The texts for language models: a list of the pages, and all pages in one (llmstxt.org). */
export function llmsTexts(pages: readonly SitePage[]): { readonly list: string; readonly full: string } {
  const told = [...inOrder(pages), ...pages.filter(({ path }) => path.startsWith('packages/'))];
  const texts = told.map(({ text }) => text.trim());
  return {
    list: listOf(told, (path) => `/${path.replace(/\.md$/, '.html')}`),
    full: `${[`# Vitrine\n\n${about}`, ...texts].join('\n\n---\n\n')}\n`,
  };
}

/** The list of pages with what each is about. */
export function listOf(pages: readonly SitePage[], linkTo: (path: string) => string): string {
  const lines = pages.map(
    ({ path, title, summary }) => `- [${title}](${linkTo(path)})${summary === '' ? '' : `: ${summary}`}`,
  );
  return `# Vitrine\n\n${about}\n\n## Pages\n\n${lines.join('\n')}\n`;
}

/** The pages of the guide in the order of its first page. Those that only the list of bridges links follow that list. */
function inOrder(pages: readonly SitePage[]): readonly SitePage[] {
  const pathsIn = (path: string, link: RegExp): readonly string[] =>
    [...(pages.find((page) => page.path === path)?.text ?? '').matchAll(link)].map(([, to]) => `${to}.md`);
  const listed = pathsIn('guide/index.md', /^- \[[^\]]+\]\(\/([^)]+)\)/gm);
  const bridges = pathsIn('guide/bridges.md', /\]\(\/(guide\/[^)#]+)/g);
  const behind = new Set(bridges.filter((path) => !listed.includes(path)));
  const paths = listed.flatMap((path) => (path === 'guide/bridges.md' ? [path, ...behind] : [path]));
  return paths.flatMap((path) => pages.find((page) => page.path === path) ?? []);
}

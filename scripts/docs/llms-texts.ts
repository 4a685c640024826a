import type { SitePage } from './site-pages.ts';

const about =
  '> React hooks and a devtools panel for AI agents: one immutable state, a loop with budgets and stop signals, sessions that survive reloads, a proxy that keeps the keys.';

/** The texts for language models: a list of the pages, and all pages in one (llmstxt.org). */
export function llmsTexts(pages: readonly SitePage[]): { readonly list: string; readonly full: string } {
  const told = [...inOrder(pages), ...pages.filter(({ path }) => path.startsWith('packages/'))];
  const lines = told.map(
    ({ path, title, summary }) =>
      `- [${title}](/${path.replace(/\.md$/, '.html')})${summary === '' ? '' : `: ${summary}`}`,
  );
  const texts = told.map(({ text }) => text.trim());
  return {
    list: `# Vitrine\n\n${about}\n\n## Pages\n\n${lines.join('\n')}\n`,
    full: `${[`# Vitrine\n\n${about}`, ...texts].join('\n\n---\n\n')}\n`,
  };
}

/** The pages of the guide in the order of its first page. */
function inOrder(pages: readonly SitePage[]): readonly SitePage[] {
  const index = pages.find(({ path }) => path === 'guide/index.md');
  const listed = [...(index?.text ?? '').matchAll(/^- \[[^\]]+\]\(\/([^)]+)\)/gm)].map(
    ([, link]) => `${link}.md`,
  );
  return listed.flatMap((link) => pages.find(({ path }) => path === link) ?? []);
}

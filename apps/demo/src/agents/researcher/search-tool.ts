import { defineTool, type Tool, type ToolContext } from '@vitrine/core';
import * as z from 'zod/mini';
import { findPassages, hitsIn, type Passage, wordsOf } from './find-passages.ts';

/** Milliseconds that a search takes at least, so that its progress is visible and it can be stopped. */
const searchMs = 3000;

/** Reads the guide: its pages by name. */
export type ReadGuide = () => Promise<ReadonlyMap<string, () => Promise<string>>>;

type SearchOptions = {
  readonly name: string;
  readonly description: string;
  readonly readGuide: ReadGuide;
  /** Filters the paragraphs. Default: all. */
  readonly keep?: (text: string) => boolean;
};

/** A tool that searches the guide of Vitrine page by page and returns the best paragraphs. */
export function searchTool({ name, description, readGuide, keep = () => true }: SearchOptions): Tool {
  return defineTool({
    name,
    description,
    input: z.object({ query: z.string().check(z.minLength(2), z.describe('Words to look for')) }),
    effects: 'idempotent',
    timeoutMs: 60_000,
    async execute({ query }, ctx) {
      const found: Passage[] = [];
      for await (const { page, text } of readPages(await readGuide(), ctx))
        found.push(...findPassages(page, text, query).filter((passage) => keep(passage.text)));
      const words = wordsOf(query);
      // A match in the page's name ranks higher than one in its text.
      const rank = ({ page, text }: Passage): number => hitsIn(text, words) + 2 * hitsIn(page, words);
      const best = found.sort((a, b) => rank(b) - rank(a) || a.text.length - b.text.length).slice(0, 3);
      return { query, passages: best };
    },
  });
}

async function* readPages(
  guidePages: Awaited<ReturnType<ReadGuide>>,
  ctx: ToolContext,
): AsyncGenerator<Passage> {
  let read = 0;
  for (const [page, load] of guidePages) {
    ctx.report({ value: read, max: guidePages.size, label: page });
    yield { page, text: await load() };
    await pause(searchMs / guidePages.size, ctx.signal);
    read++;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new Error('The search was stopped.'));
      },
      { once: true },
    );
  });
}

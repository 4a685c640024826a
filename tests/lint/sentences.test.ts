import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longSentences } from '../../scripts/lint/sentences.ts';
import { root } from '../../scripts/root.ts';

const pages = globSync(['docs/guide/*.md', 'README.md', '{packages,bridges}/*/README.md'], { cwd: root });
const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

describe('the sentences of the guide and of the READMEs', () => {
  it('no sentence of a page has more than 35 words', () => {
    expect(pages.length).toBeGreaterThan(20);
    const found = pages.flatMap((page) =>
      longSentences(readFileSync(join(root, page), 'utf8')).map(
        ({ words: count, sentence }) => `${page}: ${count} words: ${sentence}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['a paragraph', `${words(36)}.`, 1],
    ['a paragraph at the limit', `${words(35)}.`, 0],
    ['a sentence after another one', `It works. ${words(36)}.`, 1],
    ['a sentence with an abbreviation', `${words(20)}, e.g. ${words(20)}.`, 1],
    ['two sentences of 20 words', `${words(20)}. ${words(20)}.`, 0],
    ['an item of a list', `- Short\n- ${words(36)}`, 1],
    ['a cell of a table', `| a | ${words(36)} |\n| - | - |`, 1],
    ['two cells of 20 words', `| ${words(20)} | ${words(20)} |`, 0],
    ['a fence', `\`\`\`ts\n${words(50)}\n\`\`\``, 0],
    ['a hidden comment', `<!-- after\n${words(50)}\n-->`, 0],
    ['code in a line', `It is \`${words(50)}\`.`, 0],
    ['a link', `It is [${words(36)}](a.md).`, 1],
  ])('%s is counted as it reads', (_kind, page, count) => {
    expect(longSentences(page)).toHaveLength(count);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { llmsTexts } from '../../scripts/docs/llms-texts.ts';
import { sitePages } from '../../scripts/docs/site-pages.ts';
import { root } from '../../scripts/root.ts';

const pages = sitePages();
const links = pages.flatMap(({ path, text }) =>
  [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g)].map(
    ([, target = '']) => ({
      path,
      target,
    }),
  ),
);

it('every page of the site has a title, and its links lead to pages of the site or elsewhere', () => {
  expect(pages.filter(({ title, path }) => title === path)).toEqual([]);
  const known = new Set(pages.map(({ path }) => `/${path.replace(/(index)?\.md$/, '')}`));
  const lost = links.filter(({ target }) => {
    const [file = ''] = target.split('#');
    return file !== '' && !/^[a-z]+:/.test(file) && !known.has(file);
  });
  expect(lost).toEqual([]);
  expect(links.filter(({ target }) => target.startsWith('/')).length).toBeGreaterThan(50);
});

it('no page of the site shows the hidden code of an example', () => {
  const sources = pages.map(({ source }) => readFileSync(`${root}/${source}`, 'utf8'));
  expect(sources.filter((text) => text.includes('<!-- after\n')).length).toBeGreaterThan(0);
  expect(pages.filter(({ text }) => /<!-- (?:before|after)/.test(text))).toEqual([]);
});

it('no page of the site has an element outside of code, which its builder would take for a component', () => {
  const bare = pages.flatMap(({ path, text }) => {
    const words = text.replaceAll(/^ *(```+)[^]*?^ *\1/gm, '').replaceAll(/<!--[^]*?-->/g, '');
    const found = words.replaceAll(/(`+)[^]*?\1/g, '').match(/<\/?[A-Za-z][^>\n]*>?|\{\{/g) ?? [];
    return found.filter((tag) => !/^<https?:/.test(tag)).map((tag) => `${path}: ${tag}`);
  });
  expect(bare).toEqual([]);
});

it('every picture is there for the light page and for the dark one', () => {
  const pictures = pages.flatMap(({ text }) => [
    ...text.matchAll(/!\[[^\]]*\]\(\/(screenshots\/[^)]+)\)\{\.in-(\w+)\}/g),
  ]);
  const of = (look: string): string[] =>
    pictures.flatMap(([, path = '', which]) => (which === look ? [path.replace(`-${look}.png`, '')] : []));
  expect(of('light').length).toBeGreaterThan(3);
  expect(of('dark')).toEqual(of('light'));
  expect(pictures.filter(([, path = '']) => !existsSync(`${root}/docs/${path}`))).toEqual([]);
});

it('the list for language models names every page of the guide once, and tells what it is about', () => {
  const { list, full } = llmsTexts(pages);
  for (const { path, text } of pages.filter((page) => /^guide\/(?!index)/.test(page.path))) {
    expect(list.split(`(/${path.replace('.md', '.html')})`), path).toHaveLength(2);
    expect(full).toContain(text.trim());
  }
  expect(list.match(/^- .*$/gm)?.filter((line) => !/\): .{20}/.test(line))).toEqual([]);
});

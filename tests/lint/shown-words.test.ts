import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTest } from '../../scripts/lint/place.ts';
import { shownWords } from '../../scripts/lint/shown-words.ts';
import { root } from '../../scripts/root.ts';

/** Files with the texts themselves. */
const ofTexts = /(^|[/-])texts\.ts$/;

/** Files with other words than those of the interface, each with its reason. */
const known: Readonly<Record<string, string>> = {
  'packages/react/src/components/kit/hidden-characters.ts':
    'Names of characters in Unicode, which `hiddenCharacters.name` of the texts translates.',
  'packages/devtools/src/kit/page-items.ts': 'The style of a frame.',
  'packages/devtools/src/tabs/steps/step-document.ts': 'A command of a shell.',
};

describe('the rule that texts for people stand in the texts of their package', () => {
  it('the components and the panel hold no words for people outside of their texts', () => {
    const all = globSync('packages/{react/src/components,devtools/src}/**/*.{ts,tsx}', { cwd: root });
    const paths = all.filter((path) => !isTest(path) && !ofTexts.test(path));
    expect(paths.length).toBeGreaterThan(100);
    const found = paths.flatMap((path) => shownWords(path, readFileSync(join(root, path), 'utf8')));
    expect(found.filter(({ path }) => !(path in known))).toEqual([]);
    expect(Object.keys(known).filter((path) => !found.some((one) => one.path === path))).toEqual([]);
  });

  it.each([
    ['<p>Nothing yet</p>', ['Nothing yet']],
    ["<p>{count === 0 ? 'none' : names}</p>", ['none']],
    ['<p>{`run ${count}`}</p>', ['run']],
    ['<p>{count} / {all}…</p>', []],
    ['<img alt="picture" />', ['picture']],
    ['<button title={`Close ${name}`} className="big one" />', ['Close']],
    ["<button aria-label={kind === 'big' ? texts.big : texts.small} />", []],
    ["const label = 'Own window';", ['Own window']],
    ["const words = { idle: 'not run yet' };", ['not run yet']],
    ["if (event.key === 'Escape') close();", []],
    ["throw new RangeError('The tab needs an id.');", []],
    ["import { a } from './Some file.ts';", []],
  ])('the code %s has the words %j', (code, words) => {
    expect(shownWords('a.tsx', code).map(({ text }) => text)).toEqual(words);
  });
});

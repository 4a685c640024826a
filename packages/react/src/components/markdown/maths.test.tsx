import { cleanup, render, waitFor } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { TimedMarkdown } from './markdown.tsx';
import { Maths } from './maths.tsx';

afterEach(cleanup);

const always = { take: <T,>(work: () => T): T => work(), whenFree: () => () => undefined };
const draw = (text: string): HTMLElement => render(<TimedMarkdown text={text} timeBox={always} />).container;
const formula = (tex: string): HTMLElement => render(<Maths tex={tex} isDisplay={false} />).container;

describe('a formula in an answer', () => {
  it.each([
    ['on lines of its own', 'So:\n\n$$\n\\frac{1}{2} + x^2\n$$\n\nThe end'],
    ['in a fence', '```math\n\\frac{1}{2} + x^2\n```\n\nThe end'],
    ['within a line', 'So $$\\frac{1}{2} + x^2$$ it is'],
    ['in a list', '- So\n\n  $$\n  \\frac{1}{2} + x^2\n  $$\n\nThe end'],
  ])('a formula %s is rendered as MathML', async (_where, text) => {
    const page = draw(text);
    await waitFor(() => expect(page.querySelector('math mfrac')).not.toBeNull());
    expect(page.querySelector('math')?.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
    expect(page.querySelector('annotation')?.textContent?.trim()).toBe('\\frac{1}{2} + x^2');
    expect(page.textContent).not.toContain('$$');
  });

  it('an unfinished formula stays text, to its last character', async () => {
    const text = 'Known: $$1$$\n\n$$\n\\frac{1}{2';
    const page = draw(text);
    await waitFor(() => expect(page.querySelector('math')).not.toBeNull());
    expect(page.querySelector('.vitrine-plain')?.textContent).toBe('$$\n\\frac{1}{2');
  });

  it('dollars as money or in code make no formula', async () => {
    const page = draw('It costs $5, and then $6.\n\n`$$x$$` and\n\n```\n$$y$$\n```\n\n$$z$$');
    await waitFor(() => expect(page.querySelectorAll('math')).toHaveLength(1));
    expect(page.textContent).toContain('It costs $5, and then $6.');
    expect([...page.querySelectorAll('code')].map((code) => code.textContent)).toContain('$$x$$');
  });
});

describe('text that is no formula', () => {
  it.each([
    ['TeX that is not closed', '\\frac{1}{'],
    ['an unknown command', '\\nothing{1}'],
    ['an address', '\\href{javascript:alert(1)}{x}'],
    ['an image', '\\includegraphics{https://example.org/x.png}'],
    ['parts in parts without end', '\\sqrt{'.repeat(200) + '}'.repeat(200)],
    [
      'a macro that doubles',
      `\\def\\a{xx}${Array.from({ length: 14 }, (_, at) => `\\def\\${'abcdefghijklmno'[at + 1]}{\\${'abcdefghijklmno'[at]}\\${'abcdefghijklmno'[at]}}`).join('')}\\o`,
    ],
    ['a macro that calls itself', '\\def\\a{\\a\\a}\\a'],
    ['more than a page', 'x + '.repeat(5000)],
  ])('no formula but text is shown for %s', (_what, tex) => {
    const page = formula(tex);
    expect(page.textContent).toBe(tex);
    expect(page.querySelector('math, a, img')).toBeNull();
  });

  it('any formula keeps the page responsive and contains no address, handler or image', () => {
    const piece = fc.constantFrom(
      '\\frac',
      '{',
      '}',
      '^',
      '_',
      'x',
      ' ',
      '\\\\',
      '&',
      '\\begin{matrix}',
      '\\end{matrix}',
      '\\left(',
      '\\right)',
      '\\href{javascript:x}',
      '\\htmlClass{a}',
      '\\style{color:red}',
      '\\sqrt',
      '\\text{a<b>}',
      '\\color{red}',
      '\\rule{999em}{999em}',
      '\\def\\a{\\a}',
      '\\a',
      '%',
      '#',
      '$',
      '<img src=x onerror=y>',
      '\u202e',
      '\\char"1F600',
      '\\tag{1}',
      '\\class{x}{y}',
      '\\data{href=x}{y}',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const page = formula(pieces.join(''));
        expect(page.querySelector('a, img, script, [href], [src], [onerror]')).toBeNull();
        cleanup();
      }),
      { numRuns: 500 },
    );
  });
});

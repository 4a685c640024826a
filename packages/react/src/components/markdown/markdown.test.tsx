import { act, cleanup, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Markdown, TimedMarkdown } from './markdown.tsx';
import { createTimeBox, type TimeBox } from './time-box.ts';

afterEach(cleanup);

const always: TimeBox = { take: (work) => work(), whenFree: () => () => undefined };
/** Renders a text and returns its element; a warning of React fails the test. */
function draw(text: string, isOpen = false): HTMLElement {
  const complaint = vi.spyOn(console, 'error');
  const { container } = render(<TimedMarkdown text={text} timeBox={always} isOpen={isOpen} />);
  expect(complaint).not.toHaveBeenCalled();
  complaint.mockRestore();
  return container;
}

describe('hostile Markdown in answers', () => {
  // The time limit is the assertion: without bounds some of these take many minutes or exhaust the stack.
  it.each([
    ['4,000 quotations', '>'.repeat(4000)],
    ['4,000 quotations with a word', `${'> '.repeat(4000)}deep`],
    ['3,000 list items in a line', `${'- '.repeat(3000)}deep`],
    ['3,000 numbered items in a line', `${'1. '.repeat(3000)}deep`],
    ['lists by indentation', Array.from({ length: 600 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')],
    ['quotations and items in turn, after a list that is open', `- a\n  ${'> - '.repeat(2000)}deep`],
    ['as many quotations as are drawn, on many lines', `${'>'.repeat(40)} a\n`.repeat(600)],
    ['as many items as are drawn, on many lines', `${'- '.repeat(40)}a\n`.repeat(360)],
    ['as much emphasis as is drawn, in many paragraphs', `${'*a_ '.repeat(300)}\n\nb `.repeat(30)],
    ['emphasis that never closes', '*a_ '.repeat(10_000)],
    ['emphasis that opens and closes', '_*_ '.repeat(10_000)],
    ['one long run of emphasis', `${'*'.repeat(8000)}a${'*'.repeat(8000)}`],
    ['brackets that never open', 'a]'.repeat(20_000)],
    ['brackets that never close', '['.repeat(40_000)],
    ['images inside images', `${'!['.repeat(10_000)}a${'](b)'.repeat(10_000)}`],
    ['code marks of all lengths', Array.from({ length: 400 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['an open fence that is none', `\`\`\` a\`b\n${'*a_ '.repeat(10_000)}`],
    ['emphasis behind a fence', `\`\`\`\ncode\n\`\`\`\n${'*a_ '.repeat(10_000)}`],
    ['a fence inside raw HTML', `<div>\n\`\`\`\n\n${'*a_ '.repeat(10_000)}`],
    [
      'a table of many rows and many columns',
      `${'|a'.repeat(900)}|\n${'|-'.repeat(900)}|\n${'|a|\n'.repeat(3000)}`,
    ],
    ['an address of 29,000 full stops', `http://a.b/${'.'.repeat(29_000)}x`],
    ['a deep quotation that goes on without markers', `${'>'.repeat(40)} a\n${'b\n'.repeat(10_000)}`],
    ['a deep list that goes on without markers', `${'- '.repeat(40)}a\n${'b\n'.repeat(10_000)}`],
    ['as many footnotes as come to mind', `${'[^a]'.repeat(10_000)}\n\n[^a]: x`],
    ['paragraphs without end', 'a\n\n'.repeat(30_000)],
    ['fences without end', '```\n'.repeat(20_000)],
    ['code of 200,000 lines', `\`\`\`\n${'a\n'.repeat(200_000)}\`\`\`\n`],
    ['invisible characters without end', 'a\u200b'.repeat(30_000)],
    ['HTML without end', '<!--'.repeat(20_000)],
    ['a table of one row that is wide', `${'|a'.repeat(20_000)}|\n${'|-'.repeat(20_000)}|\n|a|`],
  ])('hostile Markdown renders within the limits: %s', (_what, text) => {
    expect(draw(`${text}\n\nThe end`).textContent).toContain('The end');
  });

  it('any nesting of Markdown renders at each length of a stream', () => {
    const unit = fc.constantFrom(
      '>',
      '> ',
      '- ',
      '1. ',
      '  ',
      '\t',
      '\n',
      '\n\n',
      '*',
      '_',
      '[',
      '](',
      '`',
      'a ',
      '```\n',
    );
    const piece = fc.tuple(unit, fc.nat(3000)).map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(), (pieces, cut) => {
        const text = pieces.join('');
        draw(text);
        draw(text.slice(0, cut % (text.length + 1)));
        cleanup();
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 20) },
    );
  });
});

describe('Markdown as models write it', () => {
  it('ordinary Markdown renders fully, however long it is', () => {
    const nested = Array.from({ length: 12 }, (_, at) => `${'  '.repeat(at)}- level ${at}`).join('\n');
    expect(draw(nested).querySelectorAll('ul')).toHaveLength(12);
    cleanup();
    expect(draw('> '.repeat(10) + 'deep').querySelectorAll('blockquote')).toHaveLength(10);
    cleanup();
    expect(draw('**word** and *word* '.repeat(80)).querySelectorAll('strong, em')).toHaveLength(160);
    cleanup();
    const items = '- a **bold** word and `code`\n'.repeat(150);
    expect(draw(items).querySelectorAll('li strong')).toHaveLength(150);
    cleanup();
    const rows = '| a | **b** | c |\n'.repeat(60);
    expect(draw(`| a | b | c |\n|---|---|---|\n${rows}`).querySelectorAll('td strong')).toHaveLength(60);
    cleanup();
    const code = `\`\`\`ts\n${'const a = [b[0], *c, _d];\n'.repeat(5000)}\`\`\``;
    expect(draw(code).querySelector('pre code')?.textContent).toHaveLength(26 * 5000 - 1);
  });

  it('only a block that exceeds the limits becomes plain text', () => {
    const container = draw(`A **first**\n\nB\n${'>'.repeat(4000)} deep\n\nA **last**`);
    expect([...container.querySelectorAll('strong')].map((strong) => strong.textContent)).toEqual([
      'first',
      'last',
    ]);
    expect(container.querySelector('.vitrine-plain')?.textContent).toContain('deep');
  });
});

it('tables of an answer are no landmarks, because many of them have one name', () => {
  const table = '| a |\n|---|\n| b |\n\n';
  draw(`${table}text\n\n${table}`);
  expect(screen.getAllByRole('group', { name: 'Table' })).toHaveLength(2);
  expect(screen.queryAllByRole('region')).toEqual([]);
});

describe('the text of a model stays visible', () => {
  const text = (markdown: string): string => draw(markdown).textContent;

  it.each([
    [
      'HTML',
      'One <b onclick="two()">three</b> <!-- four -->',
      ['<b onclick="two()">three</b>', '<!-- four -->'],
    ],
    ['a block of HTML', '<script>\nalert(1)\n</script>\n\nEnd', ['<script>\nalert(1)\n</script>', 'End']],
    [
      'a definition that nothing refers to',
      'One\n\n[a]: https://b.example "words"',
      ['[a]: https://b.example "words"'],
    ],
    ['a definition that another one hides', '[a]\n\n[a]: /b\n\n[a]: /c "words"', ['[a]: /c "words"']],
    ['a footnote that nothing refers to', 'One\n\n[^a]: words', ['[^a]: words']],
    ['what stands behind a fence', '```js words\ncode\n```', ['js words', 'code']],
    ['what stands behind a fence in a list', '- ```js words\n  code\n  ```', ['js words', 'code']],
    ['cells without a head', '| a |\n|---|\n| b | words |', ['words']],
    ['an image in a link', '[![words](/a.png)](https://b.example)', ['words', 'b.example']],
  ])('the answer keeps the text of %s', (_what, markdown, words) => {
    const shown = text(markdown);
    for (const word of words) expect(shown).toContain(word);
  });

  it('Markdown keeps every word, at any length of a stream', { timeout: 60_000 }, () => {
    const syntax = fc.constantFrom(
      '> ',
      '- ',
      '1. ',
      '\n',
      '\n\n',
      '*',
      '_',
      '~~',
      '`',
      '```',
      '[',
      ']',
      '](',
      ')',
      '![',
      '[^',
      ']: ',
      '<',
      '>',
      '|',
      '|-|\n',
      '# ',
      '<!--',
      '-->',
      '\\',
      '&amp;',
      ' "',
      '"',
      'https://',
      '@',
      '\u202e',
      '\u200b',
      '  ',
      '\t',
    );
    const pieces = fc.array(
      fc.oneof(
        syntax,
        fc.nat(99).map((at) => ` w${at}w `),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(pieces, fc.nat(), (parts, cut) => {
        const whole = parts.join('');
        for (const [markdown, isOpen] of [
          [whole, false],
          [whole.slice(0, cut % (whole.length + 1)), false],
          // The address of a link that is not complete is not shown yet.
          [whole.slice(0, cut % (whole.length + 1)).replaceAll('[', ''), true],
        ] as const) {
          const container = draw(markdown, isOpen);
          const titles = [...container.querySelectorAll('[title]')].map((one) => one.getAttribute('title'));
          const shown = decodeURI(
            [container.textContent, ...titles].join(' ').replace(/%(?![0-9A-F]{2})/g, '%25'),
          );
          for (const [word] of markdown.matchAll(/w\d+w/g)) expect(shown).toContain(word);
          cleanup();
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('Markdown that streams', () => {
  it('an answer that comes shows no open mark of bold, code or a link, and is drawn as it is in the end', () => {
    const whole =
      'A **bold** and *soft* ~~old~~ `code` word.\n\n- a **bold item**\n\nSee [a link](https://e.org/a) here';
    for (let end = 1; end <= whole.length; end++) {
      const { textContent } = draw(whole.slice(0, end), true);
      expect(textContent, whole.slice(0, end)).not.toMatch(/[*`~(]/);
      cleanup();
    }
    expect(draw('The end **is').textContent).toBe('The end **is');
    const { container, rerender } = render(<Markdown text="The end **is" isStreaming />);
    expect(container.querySelector('strong')?.textContent).toBe('is');
    rerender(<Markdown text="The end **is" />);
    expect(container.textContent).toBe('The end **is');
  });

  it('a long block is drawn as it is, because each delta would look through all of it', () => {
    const long = `${'word '.repeat(900)}**open`;
    expect(draw(long, true).textContent).toContain('**open');
  });
});

describe('a link in an answer', () => {
  it.each([
    ['[your bank](https://evil.example/login)', 'evil.example'],
    ['[https://bank.example](https://evil.example)', 'evil.example'],
    ['[x](https://bank.example@evil.example/)', 'evil.example'],
    ['[x](https://b\u0430nk.example/)', 'xn--bnk-6cd.example'],
    ['[x](https://bank.example/?q=what%20was%20said)', 'bank.example ?…'],
    ['![x](https://evil.example/beacon.png)', 'evil.example'],
    ['[x][1]\n\n[1]: https://evil.example', 'evil.example'],
    ['<https://evil.example>', 'evil.example'],
    ['[x](mailto:a@evil.example)', 'a@evil.example'],
  ])('a link shows its real host: %s', (markdown, target) => {
    const container = draw(markdown);
    expect(container.querySelector('.vitrine-link-target')?.textContent).toBe(target);
    expect(container.querySelector('a')?.rel).toBe('noopener noreferrer nofollow');
    expect(container.querySelector('img')).toBeNull();
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](data:text/html,a)',
    '[x](vbscript:a)',
    '[x](//evil.example)',
    '[x](#a)',
  ])('a link without a web address is text: %s', (markdown) =>
    expect(draw(markdown).querySelector('a')).toBeNull(),
  );
});

describe('rendering that takes time', () => {
  it('a block is shown as text until there is time, and is not parsed in between', () => {
    let clock = 0;
    const frames: (() => void)[] = [];
    const timeBox = createTimeBox({
      ms: 8,
      now: () => (clock += 5),
      nextFrame: (listener) => void frames.push(listener),
    });
    const { container } = render(<TimedMarkdown text={'b **a**\n\n'.repeat(10)} timeBox={timeBox} />);
    const whenDrawn = (): number => container.querySelectorAll('strong').length;
    expect([whenDrawn(), container.textContent.match(/a/g)?.length]).toEqual([2, 10]);
    for (let at = 0; at < 3; at++) act(() => frames.shift()?.());
    expect(whenDrawn()).toBeGreaterThan(2);
    expect(whenDrawn()).toBeLessThan(10);
    for (let at = 0; at < 20; at++) act(() => frames.shift()?.());
    expect([whenDrawn(), container.textContent]).toEqual([10, 'b a'.repeat(10)]);
  });

  it('a rendered block stays, followed by the new text', () => {
    let hasTime = true;
    const timeBox: TimeBox = { take: (work) => (hasTime ? work() : null), whenFree: () => () => undefined };
    const { container, rerender } = render(<TimedMarkdown text="**a**" timeBox={timeBox} />);
    hasTime = false;
    rerender(<TimedMarkdown text="**a** and **b" timeBox={timeBox} />);
    expect([container.querySelectorAll('strong').length, container.textContent]).toEqual([1, 'a and **b']);
  });
});

it('a block that is nested too deeply is shown as text, by markers or by indentation', () => {
  const byIndentation = Array.from({ length: 100 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n');
  for (const text of [byIndentation, '> '.repeat(41), '- '.repeat(41), '1) '.repeat(41), '> - '.repeat(21)])
    expect(draw(text).querySelector('.vitrine-plain')?.textContent).toBe(text);
});

it('a block is rendered again while it streams', () => {
  const { container, rerender } = render(<Markdown text={'>'.repeat(30)} />);
  act(() => rerender(<Markdown text={'>'.repeat(300)} />));
  expect(container.querySelectorAll('blockquote')).toHaveLength(0);
  expect(container.textContent).toContain('>>>');
});

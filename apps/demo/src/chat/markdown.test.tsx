import { act, cleanup, render } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Markdown } from './markdown.tsx';

afterEach(cleanup);

/** Renders a text for real and gives its element; what React complains of fails the test. */
function draw(text: string): HTMLElement {
  const complaint = vi.spyOn(console, 'error');
  const { container } = render(<Markdown text={text} />);
  expect(complaint).not.toHaveBeenCalled();
  complaint.mockRestore();
  return container;
}

describe('hostile Markdown', () => {
  // The limit of the test's time is the assertion: without bounds some of these take many minutes, or the stack.
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
    ['a table of one row that is wide', `${'|a'.repeat(20_000)}|\n${'|-'.repeat(20_000)}|\n|a|`],
  ])('is drawn: %s', { timeout: 10_000 }, (_what, text) => {
    expect(draw(`${text}\n\nThe end`).textContent).toContain('The end');
  });

  it('of any nesting is drawn, at every length of a stream', { timeout: 60_000 }, () => {
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
      { numRuns: 60 },
    );
  });
});

describe('Markdown as models write it', () => {
  it('is drawn as Markdown, however long', () => {
    const nested = Array.from({ length: 12 }, (_, at) => `${'  '.repeat(at)}- level ${at}`).join('\n');
    expect(draw(nested).querySelectorAll('ul')).toHaveLength(12);
    cleanup();
    expect(draw('> '.repeat(10) + 'deep').querySelectorAll('blockquote')).toHaveLength(10);
    cleanup();
    expect(draw('**word** and *word* '.repeat(80)).querySelectorAll('strong, em')).toHaveLength(160);
    cleanup();
    const items = '- a **bold** word and `code`\n'.repeat(300);
    expect(draw(items).querySelectorAll('li strong')).toHaveLength(300);
    cleanup();
    const code = `\`\`\`ts\n${'const a = [b[0], *c, _d];\n'.repeat(5000)}\`\`\``;
    expect(draw(code).querySelector('pre code')?.textContent).toHaveLength(26 * 5000);
  });

  it('becomes plain text only where it exceeds the limits', () => {
    const container = draw(`A **first**\n\nB\n${'>'.repeat(4000)} deep\n\nA **last**`);
    expect([...container.querySelectorAll('strong')].map((strong) => strong.textContent)).toEqual([
      'first',
      'last',
    ]);
    expect(container.querySelector('.plain')?.textContent).toContain('deep');
  });
});

it('is taken as text when it is nested deeper than is drawn, by markers or by indentation', () => {
  const byIndentation = Array.from({ length: 100 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n');
  for (const text of [byIndentation, '> '.repeat(41), '- '.repeat(41), '1) '.repeat(41), '> - '.repeat(21)])
    expect(draw(text).querySelector('.plain')?.textContent).toBe(text);
});

it('is drawn again while it streams', () => {
  const { container, rerender } = render(<Markdown text={'>'.repeat(30)} />);
  act(() => rerender(<Markdown text={'>'.repeat(300)} />));
  expect(container.querySelectorAll('blockquote')).toHaveLength(0);
  expect(container.textContent).toContain('>>>');
});

import { expect, it } from 'vitest';
import { findPassages } from './find-passages.ts';

const page = `# Budgets

A budget limits a run.
It is asked before every step.

\`\`\`ts
const budget = 1;
\`\`\`

| budget | step |
| ------ | ---- |

- Money is a budget as well.
- Nothing of that.

Steps of tools count.
`;

it('a search finds paragraphs and items with words of the query, best first, and no code, tables or headings', () => {
  expect(findPassages('p', page, 'budgets step').map(({ text }) => text)).toEqual([
    'A budget limits a run. It is asked before every step.',
    'Steps of tools count.',
    'Money is a budget as well.',
  ]);
  expect(findPassages('p', page, 'nowhere')).toEqual([]);
});

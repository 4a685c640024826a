const section = (at: number): string => `## Part ${at}

A paragraph of **some** length with \`code\`, a [link](https://example.org/${at}) and *words* that say nothing much, as an answer has many of them before it comes to its point.

- one thing, with **weight**
- another, which is longer than the first
  - and one below it

| Name | Value |
| --- | --- |
| first of ${at} | ${at * 7} |
| second | \`${at}\` |

\`\`\`ts
const part${at} = await state.parts.find(({ id }) => id === ${at});
\`\`\`

`;

/** Text of a typical Markdown answer, with so many characters. */
export function markdownText(length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at++) text += section(at);
  return text.slice(0, length);
}

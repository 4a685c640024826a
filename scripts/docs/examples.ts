/** An example of a page: a fence of TypeScript with the hidden code around it. */
export type Example = {
  readonly kind: 'ts' | 'tsx';
  /** The file that the reader writes, `src/app.tsx`; null for a piece of code without a file. */
  readonly title: string | null;
  /** The code that the reader sees. */
  readonly code: string;
  /** The code with its hidden parts. A test runs it; each line that begins with `// ` is one that it prints. */
  readonly program: string;
};

// The harness of an example is in comments around its fence, which neither GitHub nor the site shows:
//
//   <!-- before
//   modelAnswers({ text: 'Hello!' });
//   -->
//
//   ```ts title="src/assistant.ts"
//   …
//   ```
//
//   <!-- after
//   console.log(assistant.name);
//   // assistant
//   -->
const fences =
  /(?:<!-- before\n([^]*?)-->\n+)?^```(tsx?)(?: title="([^"\n]+)")?\n([^]*?)^```$(?:\n+<!-- after\n([^]*?)-->)?/gm;

/** The examples of a page, in its order. */
export function examplesOf(page: string): readonly Example[] {
  return [...page.matchAll(fences)].map(([, before = '', kind, title = null, code = '', after = '']) => ({
    kind: kind === 'tsx' ? 'tsx' : 'ts',
    title,
    code,
    program: `${before}${code}${after}`,
  }));
}

/** A page without the hidden code of its examples. */
export function withoutHidden(page: string): string {
  return page.replaceAll(/^<!-- (?:before|after)\n[^]*?-->\n+/gm, '');
}

/** A page whose fences show the name of their file, as tabs of the site. */
export function withFileNames(page: string): string {
  return page.replaceAll(
    /^```(\w+) title="([^"\n]+)"\n([^]*?)^```$/gm,
    '::: code-group\n\n```$1 [$2]\n$3```\n\n:::',
  );
}

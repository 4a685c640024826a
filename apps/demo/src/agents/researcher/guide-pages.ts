/** The pages of this repository's guide by name, without hidden code; each is loaded on demand. */
export const guidePages: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(
    import.meta.glob<string>(['../../../../../docs/guide/*.md', '!**/README.md'], {
      query: '?raw',
      import: 'default',
    }),
  ).map(([path, read]) => [
    path.split('/').at(-1)?.replace('.md', '') ?? path,
    async () => withoutComments(await read()),
  ]),
);

function withoutComments(page: string): string {
  const [start = '', ...rest] = page.split('<!--');
  return start + rest.map((part) => part.slice(part.indexOf('-->') + 3)).join('');
}

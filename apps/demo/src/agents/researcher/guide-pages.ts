/** The pages of this repository's guide by name; each is loaded on demand. */
export const guidePages: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(
    import.meta.glob<string>(['../../../../../docs/guide/*.md', '!**/README.md'], {
      query: '?raw',
      import: 'default',
    }),
  ).map(([path, read]) => [path.split('/').at(-1)?.replace('.md', '') ?? path, read]),
);

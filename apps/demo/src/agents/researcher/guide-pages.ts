/** The pages of the guide of this repository, by their names; each is read when it is asked for. */
export const guidePages: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(
    import.meta.glob<string>(['../../../../../docs/guide/*.md', '!**/README.md'], {
      query: '?raw',
      import: 'default',
    }),
  ).map(([path, read]) => [path.split('/').at(-1)?.replace('.md', '') ?? path, read]),
);

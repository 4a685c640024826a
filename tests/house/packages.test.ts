import { expect, it } from 'vitest';
import { packageFolders, reachedFolders } from '../../scripts/packages.ts';

it('a change reaches its package, all that depend on it, and those whose tests use it', () => {
  expect(reachedFolders(['bridges/otel/src/content.ts'])).toEqual(
    expect.arrayContaining(['bridges/otel', 'packages/proxy', 'packages/server', 'apps/demo']),
  );
  // The tests of the core use this bridge, so they run; nothing else that stands on the core does.
  const ofBridge = reachedFolders(['bridges/ag-ui/src/index.ts']);
  expect(ofBridge).toEqual(expect.arrayContaining(['bridges/langgraph', 'packages/core', 'packages/server']));
  expect(ofBridge).not.toContain('bridges/otel');
  expect(reachedFolders(['packages/core/src/index.ts'])).toEqual(
    expect.arrayContaining(packageFolders.filter((folder) => !folder.endsWith('create-vitrine'))),
  );
  expect(reachedFolders(['docs/architecture.md', 'packages/core.md'])).toEqual([]);
});

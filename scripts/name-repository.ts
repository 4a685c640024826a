import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { packageFolders } from './packages.ts';
import { root } from './root.ts';

// `npm run release:publish` writes the address of the repository into the packages before it publishes them. The
// workflow knows it (GITHUB_REPOSITORY), so that a fork publishes its own, and the registry compares it with the
// provenance.

type Manifest = Readonly<Record<string, unknown>>;

/** The manifest of a package with the addresses of its source, its page and its issues. */
export function withRepository(manifest: Manifest, address: string, directory: string): Manifest {
  return {
    ...manifest,
    repository: { type: 'git', url: `git+${address}.git`, directory },
    homepage: `${address}/tree/main/${directory}#readme`,
    bugs: `${address}/issues`,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env;
  if (GITHUB_REPOSITORY === undefined)
    throw new Error('GITHUB_REPOSITORY is not set. Publish from the workflow, or set it to "owner/name".');
  for (const folder of packageFolders) {
    const file = `${root}/${folder}/package.json`;
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    const named = withRepository(manifest, `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`, folder);
    writeFileSync(file, `${JSON.stringify(named, null, 2)}\n`);
  }
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

/** A registry that has the packages as they would be published, and sends npm to its own for all others. */
export type Registry = { readonly url: string; readonly close: () => Promise<void> };

type Manifest = { readonly name: string; readonly version: string };

/** Packs the packages, which must be built, and serves them. */
export async function serveRegistry(): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-registry-'));
  const upstream = (await must('npm', ['config', 'get', 'registry'])).trim();
  const packed = new Map<string, { manifest: Manifest; file: string }>();
  for (const folderOfPackage of packageFolders) {
    const from = join(root, folderOfPackage);
    const [tarball] = JSON.parse(
      await must('npm', ['pack', from, '--json', '--pack-destination', folder]),
    ) as [{ filename: string }];
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest;
    packed.set(manifest.name, { manifest, file: tarball.filename });
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const own = packed.get(path);
    if (own) return response.end(JSON.stringify(packument(own.manifest, own.file)));
    if (path.endsWith('.tgz') && [...packed.values()].some(({ file }) => file === path))
      return response.end(readFileSync(join(folder, path)));
    return response.writeHead(302, { location: new URL(request.url?.slice(1) ?? '', upstream).href }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };

  function packument(manifest: Manifest, file: string): object {
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(folder, file)))
      .digest('base64')}`;
    const version = { ...manifest, dist: { tarball: `${url}${file}`, integrity } };
    return {
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: version },
    };
  }
}

async function must(command: string, args: readonly string[]): Promise<string> {
  const { ok, output } = await run(command, args, { quiet: true });
  if (!ok) throw new Error(`${command} ${args.join(' ')}\n${output}`);
  return output;
}

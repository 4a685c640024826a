import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agedProbe, features, probed } from '../../scripts/docs/compared.ts';
import { namesFound, ownSigns, probedPackages, readings, signs, typesIn } from '../../scripts/docs/probes.ts';
import { root } from '../../scripts/root.ts';

// A "no" of docs/guide/compared.md is tested like a "yes": the types of the published package have no name of the feature.

const peers = Object.keys(probed.peers);
const cells = features.flatMap(([feature, marks]) =>
  peers.map((peer, index) => ({
    feature,
    peer,
    mark: marks[index + 1] ?? '',
    names: probed.peers[peer]?.names[feature] ?? [],
    reading: readings[feature]?.[peer],
  })),
);
const lockOf = (path: string) =>
  (JSON.parse(readFileSync(join(root, path), 'utf8')) as { packages: Record<string, { version?: string }> })
    .packages;

describe('the table of features', () => {
  it('every feature has a mark for this library and each peer, and features stand once', () => {
    expect(Object.keys(probedPackages)).toEqual(peers);
    expect(
      features.filter(([, marks]) => !/^[ynp]+$/.test(marks) || marks.length !== peers.length + 1),
    ).toEqual([]);
    expect(new Set(features.map(([feature]) => feature)).size).toBe(features.length);
  });

  it('a "no" has no name of its feature in the published types, or a reading of the name that is there', () => {
    const wrong = cells.filter(
      ({ mark, names, reading }) => mark === 'n' && names.length > 0 && reading === undefined,
    );
    expect(wrong).toEqual([]);
    // A "no" without a sign was looked for nowhere.
    expect(cells.filter(({ mark, feature }) => mark === 'n' && signs[feature] === undefined)).toEqual([]);
  });

  it('a "partly" has a name of its feature in the published types, or a reading', () => {
    expect(
      cells.filter(({ mark, names, reading }) => mark === 'p' && names.length === 0 && reading === undefined),
    ).toEqual([]);
  });

  it('every reading belongs to a "no" with a name or to a "partly" without one', () => {
    const used = cells.filter(({ mark, names }) =>
      mark === 'n' ? names.length > 0 : mark === 'p' && names.length === 0,
    );
    const told = Object.entries(readings).flatMap(([feature, of]) =>
      Object.keys(of).map((peer) => `${feature}: ${peer}`),
    );
    const needed = used.map(({ feature, peer }) => `${feature}: ${peer}`);
    expect(told.filter((one) => !needed.includes(one))).toEqual([]);
  });

  it('the probed versions are those of the lock files', () => {
    const locks = [lockOf('package-lock.json'), lockOf('tests/peers/package-lock.json')];
    const stale = Object.values(probed.peers).flatMap(({ versions }) =>
      Object.entries(versions).filter(([name, version]) =>
        locks.some((lock) => (lock[`node_modules/${name}`]?.version ?? version) !== version),
      ),
    );
    expect(stale, 'run npm run probe, and read the marks again').toEqual([]);
  });

  it.each(
    peers.filter((peer) =>
      probedPackages[peer]?.every((name) => existsSync(join(root, 'node_modules', name))),
    ),
  )('the installed packages of %s have the names that were probed', (peer) => {
    const types = typesIn((probedPackages[peer] ?? []).map((name) => join(root, 'node_modules', name)));
    const found = Object.entries(signs).map(([feature, sign]) => [feature, namesFound(sign, types)] as const);
    expect(Object.fromEntries(found.filter(([, names]) => names.length > 0))).toEqual(
      probed.peers[peer]?.names,
    );
  });

  it('what this library has not or only partly has no sign in its sources', () => {
    const own = features.filter(([, marks]) => marks[0] !== 'y').map(([feature]) => feature);
    expect(Object.keys(ownSigns).toSorted()).toEqual(own.toSorted());
    const sources = globSync('packages/{core,persist,react}/src/**/*.{ts,tsx}', { cwd: root })
      .filter((path) => !/\.(?:test|test-d|fixture)\./.test(path))
      .map((path) => readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''));
    for (const [feature, sign] of Object.entries(ownSigns))
      expect(sources.filter((text) => sign.test(text)).length, feature).toBe(0);
  });

  it('a probe counts as old after 90 days', () => {
    const at = Date.parse(probed.day);
    expect(agedProbe(at + 90 * 86_400_000)).toBeNull();
    expect(agedProbe(at + 91 * 86_400_000)).toContain('91 days ago: npm run probe');
  });
});

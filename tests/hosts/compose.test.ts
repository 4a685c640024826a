import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { findProgram } from '../servers/test-server.ts';

type Service = {
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: { readonly caddy: { readonly content: string } };
};

const file = readFileSync(join(root, 'docs/deploy/compose.yaml'), 'utf8');
const { services, configs } = parse(file, { merge: true }) as Compose;
const servers = ['one', 'two', 'three'];

it('the compose file has a database, three equal servers that use it, and a proxy in front of all three', () => {
  expect(Object.keys(services).toSorted()).toEqual([...servers, 'database', 'proxy'].toSorted());
  for (const name of servers) {
    expect(services[name]).toEqual(services['one']);
    expect(services[name]?.environment?.['DATABASE_URL']).toMatch(/@database\//);
    expect(Object.keys(services[name]?.depends_on ?? {})).toEqual(['database']);
  }
  const [, targets = ''] = /reverse_proxy (.*) \{/.exec(configs.caddy.content) ?? [];
  expect(targets.split(' ')).toEqual(servers.map((name) => `${name}:8787`));
});

it('Caddy takes the file of the proxy', ({ skip }) => {
  const caddy = findProgram('caddy', 'caddy');
  if (caddy === null) return skip('there is no Caddy on this machine');
  const path = join(folderOfTest('compose'), 'Caddyfile');
  writeFileSync(path, configs.caddy.content);
  const { status, stderr } = spawnSync(caddy, ['adapt', '--adapter', 'caddyfile', '--config', path]);
  expect([status, status === 0 ? '' : stderr.toString()]).toEqual([0, '']);
});

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proxyInference } from '@vitrine/core';
import type { EnvRecord, InferenceProxy, InferenceProxyOptions } from '@vitrine/proxy';
import { type AgentServer, createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import { createResearcher } from '../src/agents/researcher/researcher.ts';
import { defaultLimits } from '../src/settings/settings.ts';

type SessionServerOptions = {
  readonly root: string;
  /** The proxy that answers the model calls of the agents. */
  readonly proxy: Pick<InferenceProxy, 'fetch'>;
  /** The address on which the demo listens. */
  readonly host: string;
  readonly env: EnvRecord;
} & Pick<InferenceProxyOptions, 'allowedHosts' | 'log'>;

/**
 * Creates the server of the sessions that go on when their page is closed. Everybody who reaches the demo is the same
 * person to it, so it has no agent when the demo listens to other machines, unless `VITRINE_DEMO_DATA` names a folder for
 * the sessions. Without that they live as long as the process.
 */
export function createSessionServer(options: SessionServerOptions): AgentServer {
  const { root, proxy, host, env, ...guard } = options;
  const folder = env['VITRINE_DEMO_DATA']?.trim() || null;
  const isOffered = folder !== null || ['127.0.0.1', '::1', 'localhost'].includes(host);
  const researcher = createResearcher({
    model: null,
    reasoning: null,
    limits: defaultLimits,
    prices: {},
    // In this process: the limits and the models of the page's own calls hold for these, too.
    inference: proxyInference({
      url: 'http://localhost/api',
      fetch: (input, init) => proxy.fetch(new Request(input, init)),
    }),
    readGuide: async () => guideIn(`${root}docs/guide/`),
  });
  return createAgentServer({
    ...guard,
    agents: isOffered ? { researcher } : {},
    host: sqliteHost({ path: join(folder ?? temporaryFolder(), 'sessions.db') }),
    authorize: () => ({ id: 'demo' }),
    // The proxy serves the models that it lists, and no others.
    allowModel: () => true,
    // The panel of the demo shows what the model was sent.
    access: ({ id }, { owner }, act) => id === owner && act !== 'grant',
  });
}

/** The pages of the guide by name. */
function guideIn(folder: string): ReadonlyMap<string, () => Promise<string>> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return new Map(files.map((name) => [name.replace('.md', ''), () => readFile(`${folder}${name}`, 'utf8')]));
}

/** A folder that ends with the process. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-demo-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentInit, repeatedCallGuard, summarizeHistory } from '@vitrine/core';
import type { HookInit, PluginHandle, PluginInit, Prepared, ToolInit } from '@vitrine/core/types';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { defineDetector, detectors } from '@vitrine/inspect';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const inspect = join(root, 'packages/inspect/src');

/** The strings of the code of detectors, a line at a time and without comments. */
const texts = globSync('findings/*.ts', { cwd: inspect })
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  .flatMap((file) => readFileSync(join(inspect, file), 'utf8').split('\n'))
  .filter((line) => !/^\s*(\*|\/)/.test(line))
  .flatMap((line) => line.match(/'[^'\n]*'|"[^"\n]*"/g) ?? []);

type AnyTool = ToolInit<string, never, undefined, unknown>;

/** The names in remedies, each used as the remedy says, so that a renamed one is an error of types. */
const named = {
  'llmConfig.prices': ({ llmConfig }: AgentInit) => llmConfig?.prices,
  'llmConfig.settings': ({ llmConfig }: AgentInit) => llmConfig?.settings,
  'retry.maxOutputRetries': ({ retry }: AgentInit) => retry?.maxOutputRetries,
  maxOutputTokens: (): AgentInit['llmConfig'] => ({ settings: { maxOutputTokens: 1 } }),
  temperature: (): AgentInit['llmConfig'] => ({ settings: { temperature: 1 } }),
  compileMessages: ({ compileMessages }: AgentInit) => compileMessages,
  maxToolCalls: ({ maxToolCalls }: AgentInit) => maxToolCalls,
  subagentPolicy: ({ subagentPolicy }: AgentInit) => subagentPolicy?.maxTotalSteps,
  expects: ({ expects }: AgentInit & AnyTool & HookInit) => expects,
  output: ({ output }: AnyTool) => output,
  timeoutMs: ({ timeoutMs }: AnyTool) => timeoutMs,
  needsApproval: ({ needsApproval }: AnyTool) => needsApproval,
  maxResultBytes: ({ maxResultBytes }: AnyTool) => maxResultBytes,
  "effects: 'idempotent'": (): Pick<AnyTool, 'effects'> => ({ effects: 'idempotent' }),
  "persist: 'session'": (): Pick<PluginInit<never>, 'persist'> => ({ persist: 'session' }),
  persist: ({ persist }: PluginInit<never>) => persist,
  prepare: ({ prepare }: PluginInit<never>) => prepare,
  context: ({ context }: Prepared) => context,
  instructions: ({ instructions }: Prepared) => instructions,
  set: ({ set }: PluginHandle<unknown>) => set,
  update: ({ update }: PluginHandle<unknown>) => update,
  watch: ({ watch }: Parameters<typeof defineDetector>[0]) => watch,
  cache: ({ cache }: NonNullable<Parameters<typeof fromLanguageModel>[1]>) => cache,
  fromLanguageModel,
  repeatedCallGuard,
  summarizeHistory,
};

/** Names of others: of providers, servers and browsers. */
const foreign = ['/v1/models', 'include_usage', 'await scheduler.yield()'];

it('each name in a remedy is one of the public interface, of the environment or of others', () => {
  const quoted = new Set(
    texts.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)),
  );
  const variables = [...quoted].filter((name) => name.startsWith('VITRINE_'));
  expect([...quoted].filter((name) => !variables.includes(name)).toSorted()).toEqual(
    [...Object.keys(named), ...foreign].toSorted(),
  );
});

it('each variable of the environment in a remedy is one that the proxy, or a server of models, reads', () => {
  const ofServers = ['OLLAMA_CONTEXT_LENGTH'];
  const known = readFileSync(join(root, '.env.example'), 'utf8');
  const used = texts.flatMap((text) => text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []);
  expect(used.length).toBeGreaterThan(3);
  for (const name of used.filter((one) => !ofServers.includes(one))) expect(known).toMatch(`\n${name}=`);
});

it('each detector has a test that makes its finding', () => {
  const tests = globSync(
    ['packages/inspect/src/findings/*.test.ts', 'bridges/*/src/**/*.test.ts', 'tests/peers/*.test.ts'],
    { cwd: root },
  ).map((file) => readFileSync(join(root, file), 'utf8'));
  const missing = detectors.filter(({ code }) => !tests.some((text) => text.includes(`'${code}'`)));
  expect(missing.map(({ code }) => code)).toEqual([]);
});

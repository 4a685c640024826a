import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AgentError, fromLanguageModel, type LanguageModel } from '@vitrine/core';
import { offlineModel } from '../offline-model/offline-model.ts';
import type { ProxyModel } from './proxy-model.ts';

export type EnvRecord = Readonly<Record<string, string | undefined>>;

type Provider = {
  readonly id: string;
  readonly defaults: readonly string[];
  readonly model: (name: string) => LanguageModel;
};

/**
 * The models that environment variables call for (see `.env.example`); the first is the default.
 * Without any key it is the offline demo model alone.
 * @throws AgentError `agent-invalid` when `VITRINE_MODELS` names a provider that is not configured.
 */
export function modelsFromEnv(env: EnvRecord): ProxyModel[] {
  const providers = configuredProviders(env);
  if (providers.length === 0) return [offlineModel({ paceMs: numberOf(env['VITRINE_DEMO_PACE_MS']) })];
  const wanted = list(env['VITRINE_MODELS']);
  if (wanted.length > 0) return wanted.map((id) => configuredModel(id, providers));
  return providers.flatMap((provider) => provider.defaults.map((name) => toModel(provider, name)));
}

function configuredProviders(env: EnvRecord): Provider[] {
  const providers: Provider[] = [];
  if (env['OPENAI_API_KEY']) {
    const openai = createOpenAI({ apiKey: env['OPENAI_API_KEY'], ...baseUrl(env['OPENAI_BASE_URL']) });
    providers.push({ id: 'openai', defaults: ['gpt-5-mini', 'gpt-5'], model: (name) => openai.chat(name) });
  }
  if (env['ANTHROPIC_API_KEY']) {
    const anthropic = createAnthropic({
      apiKey: env['ANTHROPIC_API_KEY'],
      ...baseUrl(env['ANTHROPIC_BASE_URL']),
    });
    providers.push({
      id: 'anthropic',
      defaults: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
      model: (name) => anthropic(name),
    });
  }
  if (env['GOOGLE_GENERATIVE_AI_API_KEY']) {
    const apiKey = env['GOOGLE_GENERATIVE_AI_API_KEY'];
    const google = createGoogleGenerativeAI({ apiKey, ...baseUrl(env['GOOGLE_GENERATIVE_AI_BASE_URL']) });
    providers.push({
      id: 'google',
      defaults: ['gemini-2.5-flash', 'gemini-2.5-pro'],
      model: (name) => google(name),
    });
  }
  if (env['OPENAI_COMPATIBLE_BASE_URL']) {
    const compatible = createOpenAICompatible({
      name: env['OPENAI_COMPATIBLE_NAME'] ?? 'openai-compatible',
      baseURL: env['OPENAI_COMPATIBLE_BASE_URL'],
      includeUsage: true,
      ...(env['OPENAI_COMPATIBLE_API_KEY'] ? { apiKey: env['OPENAI_COMPATIBLE_API_KEY'] } : {}),
    });
    providers.push({
      id: 'openai-compatible',
      defaults: ['llama3.3'],
      model: (name) => compatible.chatModel(name),
    });
  }
  return providers;
}

function configuredModel(id: string, providers: readonly Provider[]): ProxyModel {
  const at = id.indexOf(':');
  const provider = providers.find((candidate) => candidate.id === id.slice(0, at));
  if (provider && at < id.length - 1) return toModel(provider, id.slice(at + 1));
  const known = providers.map((candidate) => candidate.id).join(', ');
  throw new AgentError(
    'agent-invalid',
    `VITRINE_MODELS: ${JSON.stringify(id)} is not "provider:model" of a configured provider (${known}). Set that provider's key, or remove the model.`,
  );
}

function toModel(provider: Provider, name: string): ProxyModel {
  return {
    id: `${provider.id}:${name}`,
    name,
    provider: provider.id,
    client: fromLanguageModel(provider.model(name)),
  };
}

function baseUrl(url: string | undefined): { baseURL?: string } {
  return url ? { baseURL: url } : {};
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? value : undefined;
}

import { UsageError } from '../usage-error.ts';

/** The providers that a program may be recorded with, each with the variables that clients read its address from. */
const providers = {
  openai: { variables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'], url: 'https://api.openai.com/v1' },
  anthropic: { variables: ['ANTHROPIC_BASE_URL'], url: 'https://api.anthropic.com' },
  gemini: { variables: ['GOOGLE_GEMINI_BASE_URL'], url: 'https://generativelanguage.googleapis.com' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Addresses of providers by their names, without a slash at the end. */
export type Upstreams = ReadonlyMap<string, string>;

/**
 * The addresses that requests are passed on to: those of the command (`openai=http://127.0.0.1:11434/v1`), those of the
 * environment, or the providers' own.
 * @throws UsageError for an unknown provider and an address that is none.
 */
export function upstreamsOf(env: Environment, given: readonly string[]): Upstreams {
  const upstreams = new Map<string, string>();
  for (const [name, { variables, url }] of Object.entries(providers))
    upstreams.set(name, variables.map((variable) => env[variable]).find(Boolean) ?? url);
  for (const text of given) {
    const [name = '', ...rest] = text.split('=');
    if (!upstreams.has(name))
      throw new UsageError(`--to takes openai=, anthropic= or gemini= and an address, not ${text}.`);
    upstreams.set(name, rest.join('='));
  }
  for (const [name, url] of upstreams) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError(`The address of ${name} is no address: ${JSON.stringify(url)}.`);
    const base = url.replace(/\/$/, '');
    upstreams.set(name, name === 'anthropic' ? base.replace(/\/v1$/, '') : base);
  }
  return upstreams;
}

/** The variables that lead clients, and spans, to a server on this machine. `base` is its address with the token. */
export function addressesAt(base: string, env: Environment): Readonly<Record<string, string>> {
  const addresses = Object.fromEntries(
    Object.entries(providers).flatMap(([name, { variables }]) =>
      variables.map((variable) => [variable, `${base}/${name}`]),
    ),
  );
  if (otherTelemetry(env) !== null) return addresses;
  return {
    ...addresses,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/otlp`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_SEMCONV_STABILITY_OPT_IN: env['OTEL_SEMCONV_STABILITY_OPT_IN'] || 'gen_ai_latest_experimental',
  };
}

/** The variable by which the spans of a program go elsewhere; null for none. */
export function otherTelemetry(env: Environment): string | null {
  const names = /^OTEL_EXPORTER_OTLP_(TRACES_)?(ENDPOINT|PROTOCOL)$/;
  return Object.keys(env).find((name) => names.test(name) && env[name] !== '') ?? null;
}

/** An environment in which addresses of this machine are asked without a proxy. */
export function withoutProxyHere(env: Environment): Environment {
  const direct = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1,localhost'].filter(Boolean).join(',');
  return { ...env, NO_PROXY: direct, no_proxy: direct };
}

import { AgentError } from '@vitrine/core';

/** Environment variables, such as `process.env`. */
export type EnvRecord = Readonly<Record<string, string | undefined>>;

/** The trimmed value of a variable. A blank variable counts as not set: undefined. */
export function valueOf(env: EnvRecord, variable: string | undefined): string | undefined {
  return (variable === undefined ? undefined : env[variable]?.trim()) || undefined;
}

/** The entries of a comma-separated variable, trimmed and without empty ones. */
export function listOf(env: EnvRecord, variable: string): string[] {
  const entries = (env[variable] ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** The error of a setting that means nothing, with a sentence that says what to give instead. */
export function wrongSetting(message: string, options?: ErrorOptions): AgentError {
  return new AgentError('agent-invalid', message, options);
}

/** The variables of limits by their names, such as `VITRINE_BODY_BYTES` for `bodyBytes`. */
export function variablesOf<Name extends string>(
  limits: Readonly<Record<Name, unknown>>,
): Readonly<Record<Name, string>> {
  const names = Object.keys(limits) as Name[];
  const entries = names.map((name) => [name, `VITRINE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** The numbers of the variables that are set, by name. @throws AgentError `agent-invalid` for any other value */
export function numbersFrom<Name extends string>(
  env: EnvRecord,
  variables: Readonly<Record<Name, string>>,
): Partial<Record<Name, number>> {
  const numbers: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(variables) as Name[]) {
    const text = valueOf(env, variables[name]);
    if (text === undefined) continue;
    const value = Number(text);
    if (Number.isNaN(value))
      throw wrongSetting(`${variables[name]} is ${JSON.stringify(text)}; give a number.`);
    numbers[name] = value;
  }
  return numbers;
}

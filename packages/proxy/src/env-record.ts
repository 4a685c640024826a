/** Environment variables, such as `process.env`. */
export type EnvRecord = Readonly<Record<string, string | undefined>>;

/** What a variable says, without what is blank around it; undefined when that is nothing: then it is not set. */
export function valueOf(env: EnvRecord, variable: string | undefined): string | undefined {
  return (variable === undefined ? undefined : env[variable]?.trim()) || undefined;
}

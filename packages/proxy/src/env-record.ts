/** Environment variables, such as `process.env`. */
export type EnvRecord = Readonly<Record<string, string | undefined>>;

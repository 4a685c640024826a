/** One line per failed request: never a prompt, a key or a header. */
export type ProxyLogEntry = {
  readonly id: string | null;
  readonly code: string;
  readonly status: number;
  readonly model: string | null;
  readonly ms: number;
};

/** The default log. */
export function logLine(entry: ProxyLogEntry): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), ...entry }));
}

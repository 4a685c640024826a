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

/** A log that throws must not end what it is told of. */
export function harmlessLog(log: (entry: ProxyLogEntry) => void): (entry: ProxyLogEntry) => void {
  return (entry) => {
    try {
      log(entry);
    } catch {
      // There is nobody left to tell.
    }
  };
}

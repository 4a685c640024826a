/** A watch over the time of waits. */
export type Silence = {
  /** Begins a wait, which may take this many milliseconds. */
  readonly begin: (limitMs: number) => void;
  readonly end: () => void;
  readonly release: () => void;
};

/**
 * Reports, once, a wait that takes too long. It uses one timer for all waits, because one for each costs as much as an
 * event.
 */
export function watchSilence(onSilent: (limitMs: number) => void): Silence {
  let since: number | null = null;
  let limit = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    const left = since === null ? limit : since + limit - performance.now();
    if (left > 0) timer = setTimeout(look, left);
    else onSilent(limit);
  }

  return {
    begin(limitMs) {
      since = performance.now();
      if (limitMs === limit) return;
      limit = limitMs;
      clearTimeout(timer);
      timer = setTimeout(look, limit);
    },
    end: () => (since = null),
    release: () => clearTimeout(timer),
  };
}

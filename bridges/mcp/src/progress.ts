import type { Progress } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { cutText } from '@vitrine/core/internal/kit/text';

/** The progress of a call, of which a flood becomes one report in 100 ms. */
export type Reporter = {
  readonly report: (progress: JsonValue) => void;
  /** Forgets a report that is due. */
  readonly end: () => void;
};

const everyMs = 100;

/** Passes on the first report at once, and then the newest one every 100 ms. */
export function reporter(report: (progress: JsonValue) => void): Reporter {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let newest: { readonly progress: JsonValue } | null = null;
  function pass(): void {
    timer = null;
    if (newest === null) return;
    report(newest.progress);
    newest = null;
    timer = setTimeout(pass, everyMs);
  }
  return {
    report(progress) {
      newest = { progress };
      if (timer === null) pass();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The progress as a view shows it: `{ progress, total, message }`; null for what the server does not say. */
export function progressOf({ progress, total, message }: Progress): JsonObject {
  return { progress, total: total ?? null, message: message === undefined ? null : cutText(message, 1_000) };
}

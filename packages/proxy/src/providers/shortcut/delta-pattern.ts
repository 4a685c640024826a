/** An event of a provider with a placeholder for the text that it adds to the answer. */
export type DeltaPattern = {
  readonly before: string;
  readonly after: string;
};

/** OpenAI pads its events with random letters, so that their length does not reveal the text. */
const padding = /,"obfuscation":"[A-Za-z0-9]*"/;

const bare = (event: string): string =>
  event.includes('"obfuscation"') ? event.replace(padding, '') : event;

/** The event without its text; null unless the text occurs exactly once, as the value of a field. */
export function patternOf(event: string, text: string): DeltaPattern | null {
  const whole = bare(event);
  const literal = JSON.stringify(text);
  const at = whole.indexOf(literal);
  if (at === -1 || whole.includes(literal, at + 1)) return null;
  const [before, after] = [whole.slice(0, at), whole.slice(at + literal.length)];
  return /: ?$/.test(before) && /^[,}]/.test(after) ? { before, after } : null;
}

/** The text of an event that differs from the pattern in nothing else; null for any other event. */
export function textIn({ before, after }: DeltaPattern, event: string): string | null {
  const whole = bare(event);
  if (!whole.startsWith(before) || !whole.endsWith(after)) return null;
  try {
    // The text must be one string literal: quotes within it are escaped.
    const text: unknown = JSON.parse(whole.slice(before.length, whole.length - after.length));
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}

/** The event of the pattern with this text. */
export function eventWith({ before, after }: DeltaPattern, text: string): string {
  return before + JSON.stringify(text) + after;
}

import { diffJson } from '@vitrine/inspect/internal/diff';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { TapedRequest } from './tape.ts';

/** The first difference between two requests, and the number of all. */
export type RequestDifference = { readonly count: number; readonly first: string };

/** Compares a request with a recorded one; null when they are equal. `ignored` are paths that may differ. */
export function compareRequests(
  recorded: TapedRequest,
  now: TapedRequest,
  ignored: readonly string[],
): RequestDifference | null {
  const found = diffJson(comparedRequest(recorded, ignored), comparedRequest(now, ignored));
  const [first] = found;
  if (first === undefined) return null;
  const place = first.path.join('.');
  const [before, after] = [first.before, first.after].map((value) =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'),
  ) as [string, string];
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, start - 30), start + 50));
  const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '0');
  const isClock = withoutNumbers(before) === withoutNumbers(after);
  return {
    count: found.length,
    first: [
      `${place}${nameAt(first.path, now)}: recorded ${around(before)}, now ${around(after)}.`,
      ...(isClock ? [`Only numbers differ, as those of a clock do: --ignore ${place} leaves it out.`] : []),
    ].join(' '),
  };
}

/** The role of the message or the name of the tool at a path, in parentheses. */
function nameAt([part, index]: readonly string[], { request }: TapedRequest): string {
  if (!('messages' in request)) return '';
  const tool = request.tools[Number(index)]?.['name'];
  const name = part === 'messages' ? request.messages[Number(index)]?.role : part === 'tools' ? tool : null;
  return typeof name === 'string' ? ` (${name})` : '';
}

/** The form that is compared: ids by their order, since clients may make new ones each time, and nothing that is ignored. */
function comparedRequest({ method, path, request }: TapedRequest, ignored: readonly string[]): unknown {
  const ids = new Map<string, string>();
  const numberOf = (id: string | null): string | null => {
    if (id !== null && !ids.has(id)) ids.set(id, `#${ids.size + 1}`);
    return ids.get(id ?? '') ?? null;
  };
  const compared: object =
    'messages' in request
      ? {
          ...structuredClone(request),
          messages: request.messages.map((message) => ({
            ...message,
            calls: message.calls.map((call) => ({ ...call, id: numberOf(call.id) })),
            callId: numberOf(message.callId),
          })),
        }
      : { method, path, ...structuredClone(request) };
  for (const place of ignored) {
    const names = place.split('.');
    const last = names.pop() ?? '';
    const holder = names.reduce((value: unknown, name) => foreign(value)[name], compared);
    Reflect.deleteProperty(foreign(holder), last);
  }
  return compared;
}

import { homedir } from 'node:os';
import { createParser } from 'eventsource-parser';
import { documentJson } from '@vitrine/core/internal/kit/json';
import { redact } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';

/** The folder and the home of this machine, by the names that stand for them in a recording. */
const folders = [[process.cwd(), '$PWD'] as const, [homedir(), '$HOME'] as const].filter(
  ([path]) => path.length > 1,
);

/**
 * A text without secrets, and with the folder and the home by their names: both differ where it runs again. JSON in a
 * text, such as the arguments of a call, loses what it would lose as a value: some APIs send one form and some both.
 */
export function safeText(text: string): string {
  const value = /^\s*[[{]/.test(text) ? jsonIn(text) : undefined;
  const safe = redact(value);
  return folders.reduce(
    (left, [path, name]) =>
      left.replaceAll(path, (found, at: number) =>
        /[\w-]/.test(left.charAt(at + path.length)) ? found : name,
      ),
    redactText(safe === value ? text : JSON.stringify(safe), 'text'),
  );
}

/** The same for each text in a value. */
export function safeJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(redact(value) ?? null), (_name, child: unknown) =>
    typeof child === 'string' ? safeText(child) : child,
  );
}

/** A body without secrets. A secret in a stream comes in pieces, so the pieces of each text are read as one. */
export function safeBody(body: string, contentType: string): string {
  if (!contentType.includes('text/event-stream')) {
    const value = jsonIn(body);
    return value === undefined ? safeText(body) : JSON.stringify(safeJson(value));
  }
  const events: { readonly name: string; readonly data: unknown }[] = [];
  createParser({
    onEvent: ({ event, data }) =>
      events.push({ name: event === undefined ? '' : `event: ${event}\n`, data: jsonIn(data) ?? data }),
  }).feed(`${body}\n\n`);
  const pieces = new Map<string, Piece[]>();
  for (const { data } of events) collectPieces(data, { key: '', isPiece: false, depth: 0 }, pieces);
  for (const places of pieces.values()) {
    const text = places.map(({ holder, name }) => holder[name]).join('');
    const safe = safeText(text);
    if (safe !== text)
      for (const [index, { holder, name }] of places.entries()) holder[name] = index === 0 ? safe : '';
  }
  return events
    .map(({ name, data }) => {
      const safe = safeJson(data);
      return `${name}data: ${typeof safe === 'string' ? safe : JSON.stringify(safe)}\n\n`;
    })
    .join('');
}

/** A place of a text in an event. */
type Piece = { readonly holder: Record<string, string>; readonly name: string };

/** Names of fields that come as a whole. */
const whole: ReadonlySet<string> = new Set(['id', 'type', 'role', 'name']);

/** Collects the texts that go on from event to event. */
function collectPieces(
  value: unknown,
  at: { readonly key: string; readonly isPiece: boolean; readonly depth: number },
  pieces: Map<string, Piece[]>,
): void {
  if (typeof value !== 'object' || value === null || at.depth > documentJson.depth) return;
  const holder = value as Record<string, string>;
  const { index, output_index, content_index, thought } = holder;
  const here = `${at.key}/${[index, output_index, content_index, thought].join(' ')}`;
  for (const [name, child] of Object.entries(value) as [string, unknown][]) {
    const key = `${here}/${name}`;
    const isPiece = at.isPiece || name === 'delta';
    const isOfGemini = name === 'text' && at.key.includes('/parts');
    if (typeof child !== 'string') collectPieces(child, { key, isPiece, depth: at.depth + 1 }, pieces);
    else if ((isPiece && !whole.has(name)) || isOfGemini) {
      if (!pieces.has(key)) pieces.set(key, []);
      pieces.get(key)?.push({ holder, name });
    }
  }
}

/** A recorded body, with the folder and the home of this machine. */
export function bodyHere(body: string): string {
  return folders.reduce(
    (text, [path, name]) => text.replaceAll(name, JSON.stringify(path).slice(1, -1)),
    body,
  );
}

/** The value of a JSON text; undefined for another text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A source with an import more, behind its directive. */
export function withImport(text: string, line: string): string {
  const directive = /^(?:\s*['"]use \w+['"];?[ \t]*\n\s*)?/.exec(text)?.[0] ?? '';
  return text.includes(line) ? text : `${directive}${line}\n${text.slice(directive.length)}`;
}

const made = /\bnew (?:Default|TextStream|Http|WebSocket)ChatTransport(?:<[^<>()]{0,200}>)?\(/g;
const observe = `import { observeChat } from '@vitrine/ai-sdk/observe';`;

/**
 * A source whose chats of the AI SDK are watched: each transport, or the one of its own that a `useChat` without one gets.
 * The source itself when it has no chat, and when it is watched already.
 */
export function watchChats(text: string, telemetry: string | null): string {
  if (text.includes('observeChat')) return text;
  const options = telemetry === null ? '' : `, { telemetry: '${telemetry}' }`;
  const starts = [...text.matchAll(made)].map(({ index, 0: call }) => ({
    index,
    open: index + call.length - 1,
  }));
  if (starts.length > 0) return withImport(wrapCalls(text, starts, options), observe);
  const isBare = /from ['"]@ai-sdk\/react['"]/.test(text) && !/\btransport\b|\bapi:|\bchat[,:]/.test(text);
  if (!isBare || !/\buseChat(?:<[^<>()]{0,200}>)?\((?:\)|\{)/.test(text)) return text;
  const given = text
    .replaceAll(/(\buseChat(?:<[^<>()]{0,200}>)?\()\)/g, '$1{ transport: watchedTransport })')
    .replaceAll(/(\buseChat(?:<[^<>()]{0,200}>)?\(\{)(?! transport)/g, '$1 transport: watchedTransport,');
  const transport = `const watchedTransport = observeChat(new DefaultChatTransport({ api: '/api/chat' })${options});`;
  const imports = `${observe}\nimport { DefaultChatTransport } from 'ai';\n\n${transport}\n`;
  return withImport(given, imports);
}

/** The source with each call of a constructor inside `observeChat(…)`; one whose end is not found stays. */
function wrapCalls(
  text: string,
  starts: readonly { index: number; open: number }[],
  options: string,
): string {
  let out = '';
  let at = 0;
  for (const { index, open } of starts) {
    const end = endOfCall(text, open);
    if (index < at || end === null) continue;
    out += `${text.slice(at, index)}observeChat(${text.slice(index, end)}${options})`;
    at = end;
  }
  return out + text.slice(at);
}

const quotes = ["'", '"', '`'];

/** The place behind the parenthesis that closes one; strings and comments are passed over. */
function endOfCall(text: string, open: number): number | null {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quotes.includes(letter)) at = endOfString(text, at, letter);
    else if (text.startsWith('//', at)) at = Math.max(at, text.indexOf('\n', at));
    else if (text.startsWith('/*', at)) at = Math.max(at, text.indexOf('*/', at));
    else if (letter === '(') depth++;
    else if (letter === ')' && --depth === 0) return at + 1;
  }
  return null;
}

function endOfString(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

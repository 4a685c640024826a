import type { Tool } from '../../agent/tool.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { Run } from '../run.ts';

/** Bytes reserved for the sentence that says how much was cut. */
const noteBytes = 160;
/** Most UTF-8 bytes that one unit of a string takes. */
const mostBytesOfUnit = 3;

/**
 * Cuts the result of a tool to the bytes that the tool or its agent allows. A longer result becomes text:
 * its beginning (of its JSON, unless it was text) and a sentence that tells the model how much was cut.
 */
export function cutResult(run: Run, tool: Tool | undefined, result: JsonValue): JsonValue {
  const most = mostBytes(run, tool);
  if (most === Infinity) return result;
  const json = JSON.stringify(result);
  if (json.length * mostBytesOfUnit <= most) return result;
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= most) return result;
  return cutText(typeof result === 'string' ? result : json, bytes, most);
}

/** Cuts an error message like a result, because the model receives it. */
export function cutError(run: Run, tool: Tool | undefined, error: ErrorInfo): ErrorInfo {
  const message = cutResult(run, tool, error.message);
  return message === error.message ? error : { ...error, message: message as string };
}

/** The tool of a name; undefined when it is no longer offered. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

function mostBytes(run: Run, tool: Tool | undefined): number {
  return tool?.maxResultBytes ?? run.agent.maxResultBytes ?? Infinity;
}

/** The part of a text that fits into the given bytes of JSON, followed by the sentence. */
function cutText(text: string, total: number, most: number): string {
  const room = Math.max(0, most - noteBytes);
  let kept = 0;
  let end = 0;
  for (const character of text) {
    const size = jsonBytes(character);
    if (kept + size > room) break;
    kept += size;
    end += character.length;
  }
  return `${text.slice(0, end)}\n[Cut: these are the first ${kept} bytes of a result of ${total}; ${total - kept} bytes are left out.]`;
}

/** Bytes of a character in JSON as UTF-8. */
function jsonBytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (character === '"' || character === '\\') return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

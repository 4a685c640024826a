/** Containers (quotations, list items) inside each other; below them parsers and renderers run out of stack. */
const maxDepth = 40;
/** Markers of containers in a block: each is an element of the page at least. */
const maxMarkers = 2000;
/** Characters that may be emphasis or links in one run of text: what they mean takes time by their square. */
const maxMarks = 600;
/** Characters of a block that is not one fenced code block. */
const maxLength = 30_000;

/**
 * True when a block of Markdown would take too long to parse or is nested too deeply to be drawn, judged by its
 * characters alone, in linear time. Such a block is shown as the text that it is.
 */
export function exceedsLimits(block: string): boolean {
  let length = 0;
  let marks = 0;
  let markers = 0;
  for (const line of withoutFence(block).split('\n')) {
    const nesting = nestingOf(line);
    length += line.length + 1;
    markers += nesting.markers;
    if (startsText(line)) marks = 0;
    marks += countMarks(line);
    if (nesting.depth > maxDepth || markers > maxMarkers || marks > maxMarks || length > maxLength)
      return true;
  }
  return false;
}

/** A fence that begins a block holds its text as it is, however long; what follows the fence does not. */
function withoutFence(block: string): string {
  const marker = /^ {0,3}(?:(`{3,100})[^`\n]*|(~{3,100})[^\n]*)(?:\n|$)/.exec(block);
  if (!marker) return block;
  const fence = marker[1] ?? marker[2] ?? '';
  const rest = block.slice(marker[0].length);
  const end = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}`, 'm').exec(rest);
  return end ? rest.slice(end.index + end[0].length) : '';
}

/** Emphasis and links never reach beyond a blank line, or into a list item or heading from before it. */
function startsText(line: string): boolean {
  return line.trim() === '' || /^ {0,3}(?:[-+*]|#{1,6})[ \t]+\S/.test(line);
}

function countMarks(line: string): number {
  let count = 0;
  for (const character of line) if ('*_~[]`'.includes(character)) count++;
  return count;
}

/** The markers that a line begins with. A container that is open has one of them, or two columns of indentation. */
function nestingOf(line: string): { readonly markers: number; readonly depth: number } {
  const prefix = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/.exec(line)?.[0] ?? '';
  const markers = prefix.match(/>|[-+*]|\d+[.)]/g)?.length ?? 0;
  const columns = /^[ \t]*/.exec(prefix)?.[0].replaceAll('\t', '    ').length ?? 0;
  return { markers, depth: markers + Math.floor(columns / 2) };
}

/** Maximum number of blocks; the rest of the text is one more block. */
const maxBlocks = 1000;

/**
 * Splits Markdown where a top-level block certainly begins: at an unindented code fence, and after a blank line outside
 * of fences before a line that continues no list or quotation. The blocks join to the same text.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block = '';
  let fence: string | null = null;
  let isAfterBlank = false;
  let isAfterFence = false;
  let isInList = false;
  const end = (): void => {
    if (block !== '' && blocks.length < maxBlocks) {
      blocks.push(block);
      block = '';
    }
  };
  for (const line of text.split(/(?<=\n)/)) {
    const isBlank = line.trim() === '';
    // An unindented line ends a list, with the code in it.
    if (isInList && !isBlank && line.trimStart() === line) fence = null;
    const marker = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+/.exec(line)?.[0] ?? '';
    const opened: string | null = fence === null ? openedBy(line.slice(marker.length)) : null;
    if (
      fence === null &&
      !isBlank &&
      (isAfterFence || startsBlock(line, marker === '' ? opened : null, isAfterBlank))
    ) {
      end();
      isAfterFence = false;
    }
    block += line;
    if (opened !== null) {
      fence = opened;
      isInList = marker !== '';
    } else if (fence !== null && closes(isInList ? line.trimStart() : line, fence)) {
      fence = null;
      isAfterFence = line[0] !== ' ';
    }
    isAfterBlank = isBlank;
  }
  if (block !== '') blocks.push(block);
  return blocks;
}

function startsBlock(line: string, opened: string | null, isAfterBlank: boolean): boolean {
  return opened === null ? isAfterBlank && /^[^\s>*+\-\d|[]/.test(line) : line[0] !== ' ';
}

/** A block that is one code fence. */
export type FencedCode = {
  /** The info string after the fence. */
  readonly info: string;
  readonly code: string;
  /** True if the fence is closed; an open one reaches to the end. */
  readonly isFinished: boolean;
};

/** Parses a block that is one code fence; null for other blocks. */
export function fencedCode(block: string): FencedCode | null {
  const [first = '', ...lines] = block.split('\n');
  const fence = first[0] === ' ' ? null : openedBy(first);
  if (fence === null) return null;
  const info = first.slice(fence.length).trim();
  const end = lines.findIndex((line) => closes(line, fence));
  if (end === -1) return { info, code: lines.join('\n'), isFinished: false };
  if (lines.slice(end + 1).some((line) => line.trim() !== '')) return null;
  return { info, code: lines.slice(0, end).join('\n'), isFinished: true };
}

/** The fence that a line opens. A backtick fence allows no backticks after it. */
function openedBy(line: string): string | null {
  const [begin, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? ['', null];
  const isCode = fence?.startsWith('`') === true && line.includes('`', begin.length);
  return isCode ? null : fence;
}

function closes(line: string, fence: string): boolean {
  const marker = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return marker !== undefined && marker[0] === fence[0] && marker.length >= fence.length;
}

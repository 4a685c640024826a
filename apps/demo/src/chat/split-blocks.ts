/**
 * Splits Markdown where a new top-level block certainly begins: at a blank line outside code fences, before a line
 * that does not continue a list or a quotation. Joined with nothing between them, the blocks are the text again.
 */
export function splitBlocks(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  const blocks: string[] = [];
  let block = '';
  let fence: string | null = null;
  let isAfterBlank = false;
  for (const line of lines) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const startsBlock = isAfterBlank && fence === null && /^[^\s>*+\-\d|[]/.test(line);
    if (startsBlock && block !== '') {
      blocks.push(block);
      block = '';
    }
    if (marker !== undefined) {
      if (fence === null) fence = marker;
      else if (marker[0] === fence[0] && marker.length >= fence.length) fence = null;
    }
    block += line;
    isAfterBlank = line.trim() === '';
  }
  if (block !== '') blocks.push(block);
  return blocks;
}

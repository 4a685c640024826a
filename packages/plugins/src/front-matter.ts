/** The text between two lines `---` at the beginning, null without them, and what follows. */
export function splitFrontMatter(text: string): { readonly head: string | null; readonly body: string } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end =
    lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1;
  if (end === -1) return { head: null, body: text };
  return { head: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

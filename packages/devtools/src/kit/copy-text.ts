/** Copies a text to the clipboard of the document's window. Resolves with false when the browser refuses. */
export async function copyText(text: string, { defaultView }: Document): Promise<boolean> {
  try {
    await (defaultView ?? globalThis).navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

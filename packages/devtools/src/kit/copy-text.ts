/** Puts a text on the clipboard, of the window in which somebody asks for it; false where the browser does not let it. */
export async function copyText(text: string, { defaultView }: Document): Promise<boolean> {
  try {
    await (defaultView ?? globalThis).navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

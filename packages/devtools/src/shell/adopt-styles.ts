/**
 * Adds styles to the shadow root: as a constructed stylesheet of its window, which needs no nonce,
 * otherwise as an element. Returns the function that removes them.
 */
export function adoptStyles(root: ShadowRoot, css: string, nonce: string | undefined): () => void {
  const view = root.ownerDocument.defaultView;
  try {
    const sheet = new (view ?? globalThis).CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  } catch {
    const style = root.ownerDocument.createElement('style');
    if (nonce !== undefined) style.nonce = nonce;
    style.textContent = css;
    root.append(style);
    return () => style.remove();
  }
}

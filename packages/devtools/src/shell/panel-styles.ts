import type { AgentDevtoolsOptions } from '../options.ts';
import { frameStyles } from './frame-styles.ts';

/** The styles of a panel in its shadow root. */
export type PanelStyles = {
  /** Adds the styles of the views after they are loaded. */
  readonly addViews: (styles: string) => void;
  readonly update: (tabs: AgentDevtoolsOptions['tabs']) => void;
  /** Applies the styles again, because a constructed stylesheet works only in its own document. */
  readonly restyle: () => void;
  readonly remove: () => void;
};

/** Applies the styles of the frame, and later those of the views. */
export function stylePanel(
  shadow: ShadowRoot,
  { tabs: first, styleNonce }: AgentDevtoolsOptions,
): PanelStyles {
  let tabs = first;
  let viewStyles = '';
  let isOver = false;
  let removeStyles = adoptAll();

  function adoptAll(): () => void {
    const styles = [frameStyles, viewStyles, ...(tabs ?? []).map((tab) => tab.styles)];
    return adoptStyles(shadow, styles.join('\n'), styleNonce);
  }
  function restyle(): void {
    if (isOver) return;
    removeStyles();
    removeStyles = adoptAll();
  }
  return {
    addViews(styles) {
      viewStyles = styles;
      restyle();
    },
    update(next) {
      if (next === tabs) return;
      tabs = next;
      restyle();
    },
    restyle,
    remove() {
      isOver = true;
      removeStyles();
    },
  };
}

/**
 * Adds styles to the shadow root: as a constructed stylesheet of its window, which needs no nonce,
 * otherwise as an element. Returns the function that removes them.
 */
function adoptStyles(root: ShadowRoot, css: string, nonce: string | undefined): () => void {
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

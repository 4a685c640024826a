import type { AgentDevtoolsOptions } from '../options.ts';
import { adoptStyles } from './adopt-styles.ts';
import { frameStyles } from './frame-styles.ts';

/** The styles of a panel as they stand in its shadow root. */
export type PanelStyles = {
  /** Those of what is in the panel, once it is loaded. */
  readonly addViews: (styles: string) => void;
  readonly update: (tabs: AgentDevtoolsOptions['tabs']) => void;
  /** Makes them anew: styles of a document apply in no other one. */
  readonly restyle: () => void;
  readonly remove: () => void;
};

/** Styles the frame, and what comes to it. */
export function stylePanel(
  shadow: ShadowRoot,
  { tabs: first, styleNonce }: AgentDevtoolsOptions,
): PanelStyles {
  let tabs = first;
  let viewStyles = '';
  let isOver = false;
  let removeStyles = adopted();

  function adopted(): () => void {
    const styles = [frameStyles, viewStyles, ...(tabs ?? []).map((tab) => tab.styles)];
    return adoptStyles(shadow, styles.join('\n'), styleNonce);
  }
  function restyle(): void {
    if (isOver) return;
    removeStyles();
    removeStyles = adopted();
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

// The module that is loaded when the panel is first opened.
import { kitStyles, layoutStyles, popoverStyles, tabListStyles, treeStyles } from '../kit/kit-styles.ts';
import { findingStyles } from '../tabs/findings/finding-styles.ts';
import { debugStyles } from '../tabs/debug/break-bar.tsx';
import { panelTabs } from '../tabs/index.ts';
import { commandStyles } from './command-menu.tsx';
import { headerStyles } from './header-styles.ts';
import { momentStyles } from './moment-bar.tsx';

export { Panel } from './panel.tsx';

/** The common styles of the views and those of each tab. */
export const viewStyles: string = [
  layoutStyles,
  headerStyles,
  momentStyles,
  commandStyles,
  tabListStyles,
  popoverStyles,
  kitStyles,
  treeStyles,
  findingStyles,
  debugStyles,
  ...panelTabs.map(({ styles }) => styles),
].join('\n');

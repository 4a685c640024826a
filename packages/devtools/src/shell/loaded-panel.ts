// The module that is loaded when the panel is first opened.
import { kitStyles, tabListStyles, treeStyles } from '../kit/kit-styles.ts';
import { panelTabs } from '../tabs/index.ts';
import { commandStyles } from './command-menu.tsx';
import { headerStyles } from './header.tsx';
import { momentStyles } from './moment-bar.tsx';

export { Panel } from './panel.tsx';

/** The common styles of the views and those of each tab. */
export const viewStyles: string = [
  headerStyles,
  momentStyles,
  commandStyles,
  tabListStyles,
  kitStyles,
  treeStyles,
  ...panelTabs.map(({ styles }) => styles),
].join('\n');

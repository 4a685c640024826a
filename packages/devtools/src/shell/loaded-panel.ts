// The module that is loaded when the panel is first opened.
import { kitStyles } from '../kit/kit-styles.ts';
import { tabListStyles } from '../kit/tab-list-styles.ts';
import { treeStyles } from '../kit/tree-styles.ts';
import { panelTabs } from '../tabs/index.ts';
import { commandStyles } from './command-styles.ts';
import { headerStyles } from './header-styles.ts';
import { momentStyles } from './moment-styles.ts';

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

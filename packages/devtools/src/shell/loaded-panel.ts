// What is loaded when the panel is opened for the first time.
import { kitStyles } from '../kit/kit-styles.ts';
import { tabListStyles } from '../kit/tab-list-styles.ts';
import { treeStyles } from '../kit/tree-styles.ts';
import { panelTabs } from '../tabs/index.ts';
import { commandStyles } from './command-styles.ts';
import { headerStyles } from './header-styles.ts';
import { momentStyles } from './moment-styles.ts';

export { Panel } from './panel.tsx';

/** What all views use, and what each of them has for itself. */
export const viewStyles: string = [
  headerStyles,
  momentStyles,
  commandStyles,
  tabListStyles,
  kitStyles,
  treeStyles,
  ...panelTabs.map(({ styles }) => styles),
].join('\n');

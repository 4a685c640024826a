import type { PanelTab } from '../define-panel-tab.ts';
import { commandStyles } from './command-styles.ts';
import { kitStyles } from '../kit/kit-styles.ts';
import { treeStyles } from '../kit/tree-styles.ts';
import { panelTabs } from '../tabs/index.ts';
import { baseStyles } from './base-styles.ts';
import { dockStyles } from './dock-styles.ts';
import { headerStyles } from './header-styles.ts';
import { tabListStyles } from '../kit/tab-list-styles.ts';
import { momentStyles } from './moment-styles.ts';
import { themes } from './themes.ts';

const ownStyles = [
  baseStyles,
  themes,
  dockStyles,
  headerStyles,
  momentStyles,
  commandStyles,
  tabListStyles,
  kitStyles,
  treeStyles,
  ...panelTabs.map(({ styles }) => styles),
].join('\n');

/** All styles of the panel: those of the frame, of what all views use, and of each tab for itself. */
export function panelStyles(tabs: readonly Required<PanelTab>[] = []): string {
  return [ownStyles, ...tabs.map(({ styles }) => styles)].join('\n');
}

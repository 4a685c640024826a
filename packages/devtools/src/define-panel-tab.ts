import type { HubSource, JournalRecord } from '@vitrine/core/inspect';
import type { ComponentType } from 'react';

/** What a tab is about: one agent of the page, and what was recorded of it. */
export type PanelTabProps = {
  readonly source: HubSource;
  /** At most ten new ones a second; its `state` is the state of the moment. */
  readonly record: JournalRecord;
};

/** A tab of the panel. */
export type PanelTab = {
  /** Stable, lower case with dashes; the panel remembers it. */
  readonly id: string;
  readonly label: string;
  /** Rendered while the tab is open only. */
  readonly View: ComponentType<PanelTabProps>;
  /** CSS of the view; its rules reach nothing outside of it. `&` is the element that holds the view. */
  readonly styles?: string;
};

/** Makes a tab of the panel, with its styles held inside it. @throws RangeError for an id of another form */
export function definePanelTab(tab: PanelTab): Required<PanelTab> {
  if (!/^[a-z][a-z0-9-]*$/.test(tab.id))
    throw new RangeError(
      `The panel tab ${JSON.stringify(tab.id)} needs an id of lower case letters, digits and dashes.`,
    );
  const styles = tab.styles === undefined ? '' : `[data-tab='${tab.id}'] {\n${tab.styles}\n}\n`;
  return { ...tab, styles };
}

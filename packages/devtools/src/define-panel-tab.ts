import type { HubSource, JournalRecord } from '@vitrine/inspect';
import type { ComponentType } from 'react';

/** The pages of the step inspector. */
export type StepViewId = 'sent' | 'received' | 'tools' | 'state' | 'why' | 'fork';

/**
 * A place to open in the panel, e.g. a search result. Each selection is a new object, so that the same
 * place can be opened twice.
 */
export type PanelFocus =
  | {
      readonly stepId: string;
      readonly view: StepViewId;
      /** The part of the page; see `Item`. */
      readonly item: string;
    }
  /** The number of a recorded event. */
  | { readonly event: number };

/** Props of a view of the panel: one agent of the page and its record. */
export type PanelTabProps = {
  readonly source: HubSource;
  /**
   * The record up to the selected moment; its `state` is the state at that moment. Updates at most ten times a second.
   */
  readonly record: JournalRecord;
  /** The place to show and select; null when there is none. */
  readonly focus: PanelFocus | null;
  /** Opens the run view at a place. */
  readonly onFocus: (focus: PanelFocus) => void;
};

/** A page of the panel: a view of a session, or, with other props, a page of the step inspector. */
export type PanelTab<Props = PanelTabProps> = {
  /** A stable id of lower-case letters, digits and dashes, under which the panel remembers the tab. */
  readonly id: string;
  readonly label: string;
  /** Rendered only while the tab is open. */
  readonly View: ComponentType<Props>;
  /** CSS of the view, confined to it. `&` is the element that contains the view. */
  readonly styles?: string;
};

/** Defines a tab of the panel and confines its styles to it. @throws RangeError for an invalid id */
export function definePanelTab<Props = PanelTabProps>(tab: PanelTab<Props>): Required<PanelTab<Props>> {
  if (!/^[a-z][a-z0-9-]*$/.test(tab.id))
    throw new RangeError(
      `The panel tab ${JSON.stringify(tab.id)} needs an id of lower case letters, digits and dashes.`,
    );
  const styles = tab.styles === undefined ? '' : `[data-tab='${tab.id}'] {\n${tab.styles}\n}\n`;
  return { ...tab, styles };
}

import type { HubSource, JournalRecord } from '@vitrine/core/inspect';
import type { ComponentType } from 'react';

/** The pages of a step. */
export type StepViewId = 'sent' | 'received' | 'tools' | 'state' | 'why';

/** Something that was looked for: where it stands. Another object for every time it is chosen. */
export type PanelFocus =
  | {
      readonly stepId: string;
      readonly view: StepViewId;
      /** The part of the page; see `Item`. */
      readonly item: string;
    }
  /** The number of a recorded event. */
  | { readonly event: number };

/** What a view of the panel is about: one agent of the page, and what was recorded of it. */
export type PanelTabProps = {
  readonly source: HubSource;
  /**
   * What was recorded up to the moment that is looked at; its `state` is the state of that moment. At most ten new
   * ones a second.
   */
  readonly record: JournalRecord;
  /** What to show and select; null when nothing was looked for. */
  readonly focus: PanelFocus | null;
  /** Opens the run view where something stands. */
  readonly onFocus: (focus: PanelFocus) => void;
};

/** A page of the panel: a view about a session, or, with other props, one of the inspector. */
export type PanelTab<Props = PanelTabProps> = {
  /** Stable, lower case with dashes; the panel remembers it. */
  readonly id: string;
  readonly label: string;
  /** Rendered while the tab is open only. */
  readonly View: ComponentType<Props>;
  /** CSS of the view; its rules reach nothing outside of it. `&` is the element that holds the view. */
  readonly styles?: string;
};

/** Makes a tab of the panel, with its styles held inside it. @throws RangeError for an id of another form */
export function definePanelTab<Props = PanelTabProps>(tab: PanelTab<Props>): Required<PanelTab<Props>> {
  if (!/^[a-z][a-z0-9-]*$/.test(tab.id))
    throw new RangeError(
      `The panel tab ${JSON.stringify(tab.id)} needs an id of lower case letters, digits and dashes.`,
    );
  const styles = tab.styles === undefined ? '' : `[data-tab='${tab.id}'] {\n${tab.styles}\n}\n`;
  return { ...tab, styles };
}

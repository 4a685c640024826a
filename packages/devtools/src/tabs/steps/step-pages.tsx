import { definePanelTab, type PanelTab, type StepViewId } from '../../define-panel-tab.ts';
import { stateStyles } from '../state/state-styles.ts';
import { texts } from '../../texts.ts';
import { ReceivedView } from './received-view.tsx';
import { SentView } from './sent-view.tsx';
import type { StepPageProps } from './step-page-props.ts';
import { StepStateView } from './step-state-view.tsx';
import { ToolsView } from './tools-view.tsx';
import { WhyView } from './why-view.tsx';

/** A page of the inspector; its id is a view that a search result can open. */
type StepPage = Required<PanelTab<StepPageProps>> & { readonly id: StepViewId };

function stepPage(page: PanelTab<StepPageProps> & { readonly id: StepViewId }): StepPage {
  return { ...definePanelTab(page), id: page.id };
}

/** The pages of the inspector in their order. */
export const stepPages: readonly StepPage[] = [
  stepPage({ id: 'sent', label: texts.stepPages.sent, View: SentView }),
  stepPage({ id: 'received', label: texts.stepPages.received, View: ReceivedView }),
  stepPage({ id: 'tools', label: texts.stepPages.tools, View: ToolsView }),
  stepPage({ id: 'state', label: texts.stepPages.state, View: StepStateView, styles: stateStyles }),
  stepPage({ id: 'why', label: texts.stepPages.why, View: WhyView }),
];

import { AgentState } from '@vitrine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import {
  definePanelTab,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { StateTree, stateTreeRoot } from '../state/state-tree.tsx';
import { childRecord, stepRecordOf } from '../steps/step-record.ts';
import { StepInspector, type StepInspectorProps, stepPageStyles } from '../steps/step-inspector.tsx';
import { later } from '../../kit/later.tsx';
import { nameAt } from '../../kit/name-at.ts';
import { useSettled } from '../../kit/use-throttled.ts';
import { flowStyles, graphStyles } from './graph-styles.ts';
import { graphChanges, type GraphNode, graphOf, nodesOf, sameGraph } from './graph-of.ts';
import { texts as english, useTexts } from '../../texts.ts';

/** The state of a moment, as a graph of its objects or as a tree. The code that draws loads with the tab. */
export const graphTab: Required<PanelTab> = definePanelTab({
  id: 'graph',
  label: english.tabs.graph,
  View: GraphView,
  styles: [flowStyles, graphStyles, stepPageStyles].join('\n'),
});

const GraphCanvas = later(async () => (await import('./graph-canvas.tsx')).GraphCanvas, 'loadingGraph');

function GraphView({ source, record }: PanelTabProps): ReactNode {
  const texts = useTexts();
  const [isTree, setTree] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const [view, setView] = useState<StepViewId>('state');
  const { state } = record;
  const last = AgentState.stepCount(state) - 1;
  const before = useMemo(() => stepRecordOf(record, last)?.stateBefore ?? null, [record, last]);
  const root = useSettled(
    useMemo(() => graphOf(state, { opened, texts }), [state, opened, texts]),
    sameGraph,
  );
  const old = useMemo(() => before && graphOf(before, { opened, texts }), [before, opened, texts]);
  const changes = useMemo(() => graphChanges(root, old), [root, old]);
  const counts = [...changes.values()];
  const select = useCallback(({ id, target, hidden }: GraphNode): void => {
    if (hidden > 0) return setOpened((current) => new Set([...current, id]));
    setChosen(id);
    if (target) setView(target.view);
  }, []);
  const node = chosen === null ? undefined : nodesOf(root).find(({ id }) => id === chosen);
  return (
    <div className="fill graph-split">
      <div className="graph-side stacked">
        <p className="facts graph-legend beside spaced">
          {before === null
            ? texts.graph.noChanges
            : texts.graph.changes(
                last + 1,
                counts.filter((one) => one === 'added').length,
                counts.filter((one) => one === 'changed').length,
              )}
          {opened.size > 0 && !isTree && (
            <button onClick={() => setOpened(new Set())}>{texts.graph.collapse}</button>
          )}
          <button className="at-end" aria-pressed={isTree} onClick={() => setTree(!isTree)}>
            {texts.graph.asTree}
          </button>
        </p>
        {isTree ? (
          <div className="detail scroll stacked">
            <StateTree root={state} rootKey={stateTreeRoot} previous={before ?? undefined} />
          </div>
        ) : (
          <div className="graph grow">
            <GraphCanvas root={root} changes={changes} selected={chosen} onSelect={select} />
          </div>
        )}
      </div>
      {node?.target && !isTree && (
        <Inspected
          key={chosen}
          source={source}
          record={record}
          target={node.target}
          view={view}
          onView={setView}
          onBack={() => setChosen(null)}
        />
      )}
    </div>
  );
}

type InspectedProps = Pick<PanelTabProps, 'source' | 'record'> &
  Pick<StepInspectorProps, 'view' | 'onView' | 'onBack'> & {
    readonly target: NonNullable<GraphNode['target']>;
  };

function Inspected({ source, record, target, view, onView, onBack }: InspectedProps): ReactNode {
  const { path, index, item } = target;
  const step = useMemo(() => {
    const own = childRecord(record, path);
    return own && stepRecordOf(own, index);
  }, [record, path, index]);
  return (
    step && (
      <StepInspector
        source={source}
        record={step}
        root={record}
        path={path}
        agent={nameAt(record.state, path)}
        view={view}
        onView={onView}
        onBack={onBack}
        item={item}
      />
    )
  );
}

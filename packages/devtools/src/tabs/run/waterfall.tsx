import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { IsRunning, Knowledge } from '../../kit/contexts.ts';
import { keyOf, rowOfKey, useRowWindow } from '../../kit/use-row-window.ts';
import { type Texts, useTexts } from '../../texts.ts';
import { FindingMark } from '../findings/finding-view.tsx';
import type { StepState } from '../steps/step-state.ts';
import type { Lane } from './lanes-of.ts';
import { hideFolded } from './run-filter.tsx';
import { timeScale, type TimeScale } from './time-scale.ts';

const rowHeight = 26;

export type WaterfallProps = {
  readonly lanes: readonly Lane[];
  readonly slow: ReadonlySet<string>;
  /** True for a row at which a breakpoint stops. */
  readonly hasBreakpoint: (lane: Lane) => boolean;
  /** The id of the selected lane. */
  readonly selected: string | null;
  /** True if the view scrolls along with new lanes. */
  readonly isFollowing: boolean;
  /** Called when a key moves to a lane. */
  readonly onSelect: (lane: Lane) => void;
  /** Called when a person presses on a lane. */
  readonly onOpen: (lane: Lane) => void;
  /** Stands above the names. */
  readonly children: ReactNode;
};

/** The timeline of a run: a tree after the ARIA pattern. Only the rows in view are in the document. */
export function Waterfall(props: WaterfallProps): ReactNode {
  const { lanes, slow, hasBreakpoint, selected, isFollowing, onSelect, onOpen, children } = props;
  const texts = useTexts().run;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => hideFolded(lanes, folded), [lanes, folded]);
  const scale = useMemo(() => timeScale(lanes), [lanes]);
  const parents = useMemo(() => parentsIn(lanes), [lanes]);
  const spent = useMemo(() => costOf(lanes), [lanes]);
  const { scroller, rows, room, reveal } = useRowWindow(shown, rowHeight);
  const at = shown.findIndex(({ id }) => id === selected);
  useEffect(() => {
    if (isFollowing) reveal(shown.length - 1);
  }, [isFollowing, shown.length, reveal]);
  useEffect(() => {
    if (at >= 0) reveal(at);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new lanes must not scroll the reader back
  }, [selected]);
  const fold = ({ id }: Lane): void => {
    const next = new Set(folded);
    if (!next.delete(id)) next.add(id);
    setFolded(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const lane = shown[at];
    const key = keyOf(event);
    const isFold = lane && parents.has(lane.id) && key === (folded.has(lane.id) ? 'ArrowRight' : 'ArrowLeft');
    const target = isFold || key === 'Enter' ? lane : shown[targetOf(key, shown, at)];
    if (!target) return;
    // Otherwise Enter would press the button back, which has the focus where the inspector takes the place of the list.
    event.preventDefault();
    if (isFold) fold(lane);
    else if (key === 'Enter') onOpen(target);
    else onSelect(target);
  };
  return (
    <div className="waterfall stacked">
      <div className="axis firm">
        <span>{children}</span>
        <Axis scale={scale} />
      </div>
      <div
        ref={scroller}
        className="scroll lanes"
        role="tree"
        aria-label={texts.steps}
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `lane-${selected}`}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={room}>
          {rows.map(({ item: lane, style }) => (
            <LaneRow
              key={lane.id}
              lane={lane}
              scale={scale}
              style={style}
              isSelected={lane.id === selected}
              isSlow={slow.has(lane.id)}
              hasBreakpoint={hasBreakpoint(lane)}
              spent={spent}
              isFolded={parents.has(lane.id) ? folded.has(lane.id) : null}
              onSelect={onOpen}
              onFold={fold}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The index that a key leads to; -1 for other keys. */
function targetOf(key: string, lanes: readonly Lane[], at: number): number {
  const depth = lanes[at]?.depth ?? 0;
  if (key === 'ArrowLeft') return lanes.findLastIndex((lane, index) => index < at && lane.depth < depth);
  return rowOfKey(key === 'ArrowRight' ? 'ArrowDown' : key, at, lanes.length) ?? -1;
}

function parentsIn(lanes: readonly Lane[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, { id, depth }] of lanes.entries())
    if ((lanes[index + 1]?.depth ?? 0) > depth) found.add(id);
  return found;
}

/** The cost of the steps of the root, which includes that of subagents. */
function costOf(lanes: readonly Lane[]): number {
  return lanes.reduce((sum, { depth, cost }) => sum + (depth === 0 ? (cost ?? 0) : 0), 0);
}

function Axis({ scale }: { readonly scale: TimeScale }): ReactNode {
  const { formats, run } = useTexts();
  return (
    <span className="axis-scale" aria-hidden="true">
      {[0, 0.5, 1].map((part) => (
        <span key={part} className="figure" style={{ left: `${part * 100}%` }} data-end={part === 1}>
          {part === 0 ? '0' : formats.duration(scale.ms * part)}
        </span>
      ))}
      {scale.gaps.map(({ at, ms }, index) => (
        <span
          key={index}
          className="gap"
          style={{ left: `${at * 100}%` }}
          title={run.cutOut(formats.duration(ms))}
        >
          ⫽
        </span>
      ))}
    </span>
  );
}

type LaneRowProps = {
  readonly lane: Lane;
  readonly scale: TimeScale;
  readonly style: CSSProperties;
  readonly isSelected: boolean;
  readonly isSlow: boolean;
  readonly hasBreakpoint: boolean;
  /** The cost of the whole run; 0 when it is unknown. */
  readonly spent: number;
  /** Null for a lane without children. */
  readonly isFolded: boolean | null;
  readonly onSelect: (lane: Lane) => void;
  readonly onFold: (lane: Lane) => void;
};

/** One row of the waterfall: its name and its bar. */
function LaneRow(props: LaneRowProps): ReactNode {
  const { lane, scale, style, isSelected, isSlow, hasBreakpoint, spent, isFolded, onSelect, onFold } = props;
  const { id, kind, depth, label, tokens, cost, durationMs, isOpen, hasError } = lane;
  const texts = useTexts();
  const isMeasured = useContext(Knowledge).times || kind === 'step';
  const isInterrupted = useContext(IsRunning) === false && lane.state === 'running';
  const state = isInterrupted ? 'interrupted' : lane.state;
  const isStep = kind === 'step';
  const name = nameOf(lane, texts.run);
  /** The state of a call, whole on hover where there is no room for it. */
  const callState = texts.callStates[state as keyof Texts['callStates']] ?? state;
  return (
    <div
      id={`lane-${id}`}
      className={`placed lane ${kind}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={isFolded === null ? undefined : !isFolded}
      data-slow={isSlow}
      data-error={hasError}
      data-open={isOpen}
      style={style}
      onClick={() => onSelect(lane)}
    >
      <span className="lane-name beside" style={{ paddingInlineStart: Math.min(depth, 8) * 12 }}>
        <span
          className="twisty firm muted"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            if (isFolded !== null) onFold(lane);
          }}
        >
          {isFolded === null ? '' : isFolded ? '▸' : '▾'}
        </span>
        {hasBreakpoint && (
          <span
            className="break-dot"
            role="img"
            aria-label={texts.run.breakpoint}
            title={texts.run.breakpoint}
          />
        )}
        <FindingMark id={id} />
        {isStep && <span className="step-number">{label}</span>}
        {isStep ? (
          <span className={`step-type ${state}`}>{texts.stepMarks[state as StepState] ?? state}</span>
        ) : (
          <code className="cut" title={lane.guess ?? lane.agent ?? name}>
            {name}
          </code>
        )}
        {depth === 0 && <span className="cut grow in-small mono">{lane.tools.join(', ')}</span>}
        {!isStep && state !== 'completed' && (
          <span className="call-state cut" title={callState}>
            {callState}
          </span>
        )}
        <span className="lane-figures firm in-small at-end">
          {tokens > 0 && <span className="figure">{texts.run.tokens(tokens)}</span>}
          {cost !== null && cost > 0 && (
            <span className="figure cost">
              {texts.run.costOf(texts.formats.cost(cost), Math.round((cost / spent) * 100))}
            </span>
          )}
        </span>
      </span>
      <Bar lane={lane} scale={scale} />
      <span className="figure lane-time">
        {isSlow && <span className="slow">{texts.run.slow} </span>}
        {kind === 'writes'
          ? ''
          : isOpen && durationMs === 0
            ? '…'
            : texts.run.took(texts.formats.duration(durationMs), isMeasured)}
      </span>
    </div>
  );
}

/** The name of a row that is no step. */
function nameOf({ kind, label, agent }: Lane, texts: Texts['run']): string {
  if (kind === 'writes') return texts.writes[label as keyof typeof texts.writes];
  return agent === null || agent === label ? label : texts.delegated(label, agent);
}

function Bar({ lane, scale }: Pick<LaneRowProps, 'lane' | 'scale'>): ReactNode {
  const { formats, segments } = useTexts();
  const [from, to] = [scale.place(lane.from), scale.place(lane.to)];
  const title = lane.segments
    .map((one) => `${segments[one.kind]} ${formats.duration(one.to - one.from)}`)
    .join(', ');
  return (
    <span className="lane-bar" title={title}>
      <span className="whole-bar" style={stretch(from, to)} />
      {lane.segments.map(({ kind, from: start, to: end }, index) => (
        <span
          key={index}
          className="segment"
          data-kind={kind}
          style={stretch(scale.place(start), scale.place(end))}
        />
      ))}
    </span>
  );
}

function stretch(from: number, to: number): CSSProperties {
  return { left: `${from * 100}%`, width: `max(2px, ${(to - from) * 100}%)` };
}

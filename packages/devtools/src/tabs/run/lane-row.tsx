import { type CSSProperties, type ReactNode, useContext } from 'react';
import { IsRunning } from '../../kit/is-running.ts';
import type { StepState } from '../steps/step-state.ts';
import type { Lane } from './lane.ts';
import type { TimeScale } from './time-scale.ts';
import { type Texts, useTexts } from '../../texts.ts';

type CallState = keyof Texts['callStates'];

type LaneRowProps = {
  readonly lane: Lane;
  readonly scale: TimeScale;
  readonly top: number;
  readonly height: number;
  readonly isSelected: boolean;
  readonly isSlow: boolean;
  /** Null for a lane without children. */
  readonly isFolded: boolean | null;
  readonly onSelect: (lane: Lane) => void;
  readonly onFold: (lane: Lane) => void;
};

/** One row of the waterfall: its name and its bar. */
export function LaneRow(props: LaneRowProps): ReactNode {
  const { lane, scale, top, height, isSelected, isSlow, isFolded, onSelect, onFold } = props;
  const { id, kind, depth, label, tokens, cost, durationMs, isOpen, hasError } = lane;
  const texts = useTexts();
  const isInterrupted = useContext(IsRunning) === false && lane.state === 'running';
  const state = isInterrupted ? 'interrupted' : lane.state;
  const isStep = kind === 'step';
  return (
    <div
      id={`lane-${id}`}
      className={`lane ${kind}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={isFolded === null ? undefined : !isFolded}
      data-slow={isSlow}
      data-error={hasError}
      data-open={isOpen}
      style={{ top, height }}
      onClick={() => onSelect(lane)}
    >
      <span className="lane-name" style={{ paddingLeft: Math.min(depth, 8) * 12 }}>
        <span
          className="twisty"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            if (isFolded !== null) onFold(lane);
          }}
        >
          {isFolded === null ? '' : isFolded ? '▸' : '▾'}
        </span>
        {isStep && <span className="step-number">{label}</span>}
        {isStep ? (
          <span className={`step-type ${state}`}>{texts.stepMarks[state as StepState] ?? state}</span>
        ) : (
          <code>{label}</code>
        )}
        {isStep && depth === 0 && <span className="step-tools">{lane.tools.join(', ')}</span>}
        {!isStep && state !== 'completed' && (
          <span className="call-state">{texts.callStates[state as CallState] ?? state}</span>
        )}
        <span className="lane-figures">
          {tokens > 0 && <span className="figure">{texts.run.tokens(tokens)}</span>}
          {cost !== null && cost > 0 && <span className="figure">{texts.formats.cost(cost)}</span>}
        </span>
      </span>
      <Bar lane={lane} scale={scale} />
      <span className="figure lane-time">
        {isSlow && <span className="slow">{texts.run.slow} </span>}
        {isOpen && durationMs === 0 ? '…' : texts.formats.duration(durationMs)}
      </span>
    </div>
  );
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

import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import { useRowWindow } from '../../kit/use-row-window.ts';
import type { Lane } from './lane.ts';
import { LaneRow } from './lane-row.tsx';
import { unfolded } from './lane-filter.ts';
import { timeScale, type TimeScale } from './time-scale.ts';
import { useTexts } from '../../texts.ts';

const rowHeight = 26;

type WaterfallProps = {
  readonly lanes: readonly Lane[];
  readonly slow: ReadonlySet<string>;
  /** The id of the selected lane. */
  readonly selected: string | null;
  /** True if the view scrolls along with new lanes. */
  readonly isFollowing: boolean;
  readonly onSelect: (lane: Lane) => void;
};

/** The timeline of a run: a tree after the ARIA pattern. Only the rows in view are in the document. */
export function Waterfall({ lanes, slow, selected, isFollowing, onSelect }: WaterfallProps): ReactNode {
  const texts = useTexts().run;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => unfolded(lanes, folded), [lanes, folded]);
  const scale = useMemo(() => timeScale(lanes), [lanes]);
  const parents = useMemo(() => parentsIn(lanes), [lanes]);
  const { scroller, rows, reveal } = useRowWindow(shown.length, rowHeight);
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
    const isFold =
      lane && parents.has(lane.id) && event.key === (folded.has(lane.id) ? 'ArrowRight' : 'ArrowLeft');
    const target = isFold ? lane : shown[targetOf(event.key, shown, at)];
    if (!target) return;
    if (isFold) fold(lane);
    else onSelect(target);
    event.preventDefault();
  };
  return (
    <div className="waterfall">
      <Axis scale={scale} />
      <div
        ref={scroller}
        className="scroll lanes"
        role="tree"
        aria-label={texts.steps}
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `lane-${selected}`}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: shown.length * rowHeight, position: 'relative' }}>
          {rows.map((index) => {
            const lane = shown[index];
            return (
              lane && (
                <LaneRow
                  key={lane.id}
                  lane={lane}
                  scale={scale}
                  top={index * rowHeight}
                  height={rowHeight}
                  isSelected={lane.id === selected}
                  isSlow={slow.has(lane.id)}
                  isFolded={parents.has(lane.id) ? folded.has(lane.id) : null}
                  onSelect={onSelect}
                  onFold={fold}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The index that a key leads to; -1 for other keys. */
function targetOf(key: string, lanes: readonly Lane[], at: number): number {
  const last = lanes.length - 1;
  const depth = lanes[at]?.depth ?? 0;
  const moves: Record<string, number> = {
    ArrowDown: Math.min(last, at + 1),
    ArrowUp: Math.max(0, at - 1),
    Home: 0,
    End: last,
    ArrowLeft: lanes.findLastIndex((lane, index) => index < at && lane.depth < depth),
    ArrowRight: Math.min(last, at + 1),
  };
  return moves[key] ?? -1;
}

function parentsIn(lanes: readonly Lane[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, { id, depth }] of lanes.entries())
    if ((lanes[index + 1]?.depth ?? 0) > depth) found.add(id);
  return found;
}

function Axis({ scale }: { readonly scale: TimeScale }): ReactNode {
  const { formats, run } = useTexts();
  return (
    <div className="axis" aria-hidden="true">
      <span className="axis-scale">
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
    </div>
  );
}

import { css } from '../../kit/css.ts';

/** The styles of the waterfall and the inspector, which stand side by side in a wide panel. */
export const runStyles: string = css`
  container: run / inline-size;

  /* As high as its rows, up to a part of the panel; the inspector has the rest. */
  .steps {
    flex: 0 1 auto;
    max-height: 42%;
    min-height: 72px;
    border-bottom: 1px solid var(--border);
  }
  .run-filter {
    padding: 4px 10px;

    button {
      padding: 0 8px;
      border-radius: 999px;
      font-size: 11px;
    }
    [aria-pressed='true'] {
      background: var(--select);
      border-color: var(--accent);
    }
    select {
      max-width: 160px;
      padding: 0 4px;
      font-size: 11px;
      margin-inline-start: auto;
    }
  }
  .waterfall {
    flex: 0 1 auto;
    min-height: 0;
  }
  .lanes {
    flex: 0 1 auto;
    /* Aligned with the axis above, with and without a scrollbar. */
    scrollbar-gutter: stable;
  }
  .axis,
  .lane {
    display: grid;
    grid-template-columns: minmax(120px, 46%) minmax(60px, 1fr) 78px;
    align-items: center;
    gap: 8px;
    padding: 0 10px;
  }
  .axis {
    height: 20px;
    border-bottom: 1px solid var(--border);
    overflow: hidden;
    scrollbar-gutter: stable;
  }
  .filter-button {
    padding: 0 4px;

    &:hover {
      color: var(--text);
    }
    &[aria-expanded='true'] {
      color: var(--accent);
    }
  }
  /* Time runs from left to right in any language. */
  .axis-scale,
  .lane-bar {
    direction: ltr;
  }
  .axis-scale {
    grid-column: 2;
    position: relative;
    height: 14px;
    font-size: 10px;

    > * {
      position: absolute;
      transform: translateX(-50%);
    }
    > :first-child {
      transform: none;
    }
    > [data-end='true'] {
      transform: translateX(-100%);
    }
    .gap {
      color: var(--warn);
      background: var(--bg);
    }
  }
  .lane.call {
    font-size: 11px;
  }
  .lane-name {
    gap: 6px;
    min-width: 0;
    overflow: hidden;

    .step-number {
      min-width: 14px;
    }
    /* It gives way before the name of the tool does. */
    .call-state {
      flex-shrink: 10000;
      min-width: 3ch;
      color: var(--warn);
    }
  }
  .lane[data-error='true'] .call-state {
    color: var(--danger);
  }
  .lane-figures {
    display: flex;
    gap: 6px;
  }
  .lane-time {
    text-align: end;
    font-size: 11px;

    .slow {
      color: var(--warn);
      font-weight: 600;
    }
  }
  .lane-bar {
    position: relative;
    height: 12px;

    > * {
      position: absolute;
      top: 2px;
      height: 8px;
      border-radius: 2px;
    }
    .whole-bar {
      top: 5px;
      height: 2px;
      background: var(--border);
    }
  }
  .segment {
    &[data-kind='before'] {
      background: var(--border);
    }
    &[data-kind='first-token'] {
      background: var(--bar-wait);
    }
    &[data-kind='streaming'] {
      background: var(--bar-stream);
    }
    &[data-kind='retry'] {
      background: var(--danger);
    }
    &[data-kind='tool'] {
      background: var(--bar-tool);
    }
    &[data-kind='closed'] {
      background: none;
    }
    &[data-kind='person'] {
      background: repeating-linear-gradient(45deg, var(--warn) 0 2px, transparent 2px 5px);
    }
  }
  .lane[data-slow='true'] .whole-bar {
    top: 1px;
    height: 10px;
    background: none;
    outline: 1.5px solid var(--warn);
  }
  .lane[data-open='true'] .whole-bar {
    background: var(--warn);
  }
  @container (min-width: 760px) {
    .split {
      flex-direction: row;
    }
    .steps {
      flex: 0 0 clamp(360px, 42%, 620px);
      max-height: none;
      border-bottom: 0;
      border-inline-end: 1px solid var(--border);
    }
  }
  /* Beside the inspector, the names of three times would overlap. */
  @container (min-width: 760px) and (max-width: 1040px) {
    .axis-scale > :nth-child(2) {
      display: none;
    }
  }
  /* The inspector has the tokens too; the cost stays in every row. */
  @container (max-width: 520px) {
    .axis,
    .lane {
      grid-template-columns: minmax(120px, 52%) minmax(60px, 1fr) 72px;
      gap: 6px;
    }
    .lane-figures > :not(.cost),
    .axis-scale > :nth-child(2) {
      display: none;
    }
  }
  @container (max-width: 430px) {
    .steps {
      flex: 1;
      max-height: none;
      border-bottom: 0;
    }
    .split[data-page='list'] > .inspector,
    .split[data-page='inspector'] > .steps {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .lane-bar > * {
      forced-color-adjust: none;
    }
  }
`;

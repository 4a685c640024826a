import { toolView, type ToolView } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { later } from '../../kit/later.tsx';
import type { ChartData } from './tools.ts';

// The charting library loads with the first chart.
const Chart = later({
  load: async () => (await import('./chart.tsx')).Chart,
  name: 'The chart',
  place: (content) => <div className="chart">{content}</div>,
});

/** The interface of `draw_chart`: the chart and a table of its values. */
export const chartView: ToolView = toolView('draw_chart', ({ status, output, error, input }) => {
  if (status === 'failed') return <p className="tool-note">No chart: {error?.message}</p>;
  if (status !== 'completed') return <p className="tool-note">Drawing {titleOf(input)}…</p>;
  return <ChartFigure {...(output as ChartData)} />;
});

function titleOf(input: unknown): string {
  const { title } = (input ?? {}) as { readonly title?: unknown };
  return typeof title === 'string' ? title : 'a chart';
}

function ChartFigure(data: ChartData): ReactNode {
  const { title, points, leftOut } = data;
  return (
    <figure className="chart-figure">
      <figcaption dir="auto">{title}</figcaption>
      <Chart {...data} />
      {leftOut > 0 && <p className="tool-note">{leftOut} more values are not shown.</p>}
      <details>
        <summary>Values</summary>
        <div className="vitrine-table" tabIndex={0} role="region" aria-label={`Values of ${title}`}>
          <table>
            <tbody>
              {points.map(({ label, value }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td>{value.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

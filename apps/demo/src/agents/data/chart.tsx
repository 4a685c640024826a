import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as Drawing,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMediaQuery } from '../../kit/use-media-query.ts';
import { usePageTheme } from '../../kit/use-page-theme.ts';
import { coloursOfPage } from './colours-of-page.ts';
import type { ChartData } from './tools.ts';

Drawing.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** Number of values in the accessible name; the table below the chart has all of them. */
const mostSpoken = 12;

/** The chart in the colours of the page. Its accessible name contains the values. */
export function Chart({ title, kind, points }: ChartData): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePageTheme();
  const isDark = useMediaQuery('(prefers-color-scheme: dark)');
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const { accent, area, grid, text } = coloursOfPage();
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const drawing = new Drawing(current, {
      type: kind,
      data: {
        labels: points.map(({ label }) => label),
        datasets: [
          {
            data: points.map(({ value }) => value),
            backgroundColor: kind === 'line' ? area : accent,
            borderColor: accent,
            pointBackgroundColor: accent,
            borderWidth: kind === 'line' ? 2 : 0,
            borderRadius: 4,
            maxBarThickness: 56,
            fill: true,
            tension: 0.25,
          },
        ],
      },
      options: {
        maintainAspectRatio: false,
        animation: isStill ? false : { duration: 400 },
        scales: {
          x: { grid: { display: false }, border: { color: grid }, ticks: { color: text, maxRotation: 45 } },
          y: { beginAtZero: true, grid: { color: grid }, border: { display: false }, ticks: { color: text } },
        },
      },
    });
    return () => drawing.destroy();
    // The theme is a dependency, because the colours are read from the page.
  }, [kind, points, theme, isDark]);
  return (
    <div className="chart">
      <canvas ref={canvas} role="img" aria-label={`${title}: ${speakPoints(points)}`} />
    </div>
  );
}

function speakPoints(points: ChartData['points']): string {
  const values = points
    .slice(0, mostSpoken)
    .map(({ label, value }) => `${label} ${value.toLocaleString('en')}`);
  const more = points.length - values.length;
  return [...values, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

import { toolView, type ToolView } from '@vitrine/react/components';
import { later } from '../../kit/later.tsx';
import { saveText } from '../../kit/save-text.ts';
import type { Report } from './save-report.ts';

// It loads for the answers anyway.
const Markdown = later({
  load: async () => (await import('@vitrine/react/markdown')).Markdown,
  name: 'The text of the report',
});

/** The interface of `save_report`: the report with a download button. */
export const reportView: ToolView = toolView('save_report', ({ status, output }) => {
  if (status !== 'completed')
    return <p className="tool-note">{notes[status] ?? 'A report is being written…'}</p>;
  const { title, audience, text } = output as Report;
  return (
    <section className="report" aria-label={`Report: ${title}`}>
      <header>
        <strong dir="auto">{title}</strong>
        <span className="badge">for {audience}</span>
        <button
          type="button"
          className="vitrine-button"
          onClick={() => saveText(`${fileName(title)}.md`, `# ${title}\n\n${text}\n`)}
        >
          Download
        </button>
      </header>
      <Markdown text={text} />
    </section>
  );
});

const notes: Readonly<Record<string, string>> = {
  'awaiting-approval': 'The report is written. Approve it below to keep it.',
  rejected: 'You rejected the report.',
  failed: 'The report could not be kept.',
  stopped: 'The report was stopped.',
  interrupted: 'The report was interrupted.',
};

function fileName(title: string): string {
  return title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'report';
}

import { exportTrace, type JournalRecord, type Redaction, type TraceExport } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { saveFile } from './save-file.ts';

type SaveViewProps = { readonly name: string; readonly record: JournalRecord };

const shown = 100;

const reasons: Readonly<Record<Redaction['by'], string>> = {
  name: 'has the name of a secret',
  pattern: 'looks like a secret',
  sanitize: 'is removed by the application',
};

/** Saves the record as a trace file, after a preview of the redacted values. */
export function SaveView({ name, record }: SaveViewProps): ReactNode {
  const [preview, setPreview] = useState<TraceExport | null>(null);
  return (
    <section aria-label="Trace file">
      <h4>Trace file</h4>
      <p className="facts">
        Everything recorded of this session up to the selected moment, in one file without secrets.
      </p>
      <button onClick={() => setPreview(exportTrace(record, { name }))}>Preview trace</button>
      {preview && <Preview preview={preview} />}
    </section>
  );
}

function Preview({ preview: { document, redactions } }: { readonly preview: TraceExport }): ReactNode {
  const events = document.journals.reduce((sum, journal) => sum + journal.events.length, 0);
  const { missed, dropped } = document.notRecorded;
  const save = (): void =>
    saveFile(`${document.name || 'agent'}.trace.json`, JSON.stringify(document), 'application/json');
  return (
    <>
      <p role="status">
        {events} events of {document.journals.length} journals. {redactions.length} values are replaced by
        •••.
        {missed + dropped.events > 0 && ` ${missed + dropped.events} earlier events were not recorded.`}
      </p>
      <ul className="taken-out" aria-label="Redacted values" tabIndex={0}>
        {redactions.slice(0, shown).map(({ path, by }) => (
          <li key={path.join('.')}>
            <code>{path.join('.')}</code> {reasons[by]}
          </li>
        ))}
      </ul>
      {redactions.length > shown && <p className="facts">… and {redactions.length - shown} more.</p>}
      <button onClick={save}>Save trace</button>
    </>
  );
}

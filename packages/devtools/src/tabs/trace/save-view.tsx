import { exportTrace, type JournalRecord, type Redaction, type TraceExport } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { TextAround } from '../../kit/text-around.tsx';
import { saveFile } from './save-file.ts';
import { type Texts, useTexts } from '../../texts.ts';

type SaveViewProps = { readonly name: string; readonly record: JournalRecord };

const shown = 100;

const reasons = {
  name: 'redactedByName',
  pattern: 'redactedByPattern',
  sanitize: 'redactedByApplication',
} as const satisfies Readonly<Record<Redaction['by'], keyof Texts['trace']>>;

/** Saves the record as a trace file, after a preview of the redacted values. */
export function SaveView({ name, record }: SaveViewProps): ReactNode {
  const texts = useTexts().trace;
  const [preview, setPreview] = useState<TraceExport | null>(null);
  return (
    <section aria-label={texts.file}>
      <h4>{texts.file}</h4>
      <p className="facts">{texts.fileNote}</p>
      <button onClick={() => setPreview(exportTrace(record, { name }))}>{texts.preview}</button>
      {preview && <Preview preview={preview} />}
    </section>
  );
}

function Preview({ preview: { document, redactions } }: { readonly preview: TraceExport }): ReactNode {
  const texts = useTexts().trace;
  const events = document.journals.reduce((sum, journal) => sum + journal.events.length, 0);
  const { missed, dropped } = document.notRecorded;
  const save = (): void =>
    saveFile(`${document.name || 'agent'}.trace.json`, JSON.stringify(document), 'application/json');
  return (
    <>
      <p role="status">
        {texts.contents(events, document.journals.length, redactions.length, missed + dropped.events)}
      </p>
      <ul className="taken-out" aria-label={texts.redacted} tabIndex={0}>
        {redactions.slice(0, shown).map(({ path, by }) => (
          <li key={path.join('.')}>
            <TextAround text={texts[reasons[by]]}>
              <code>{path.join('.')}</code>
            </TextAround>
          </li>
        ))}
      </ul>
      {redactions.length > shown && <p className="facts">{texts.moreRedacted(redactions.length - shown)}</p>}
      <button onClick={save}>{texts.save}</button>
    </>
  );
}

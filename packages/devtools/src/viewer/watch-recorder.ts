import { systemEnv } from '@vitrine/core';
import { localChannel, type RemoteChannel, watchSessions } from '@vitrine/inspect';
import { mount } from '../shell/mount.tsx';
import { elsewhere } from '../tabs/cause/elsewhere.ts';
import { type AskNext, type NextAnswer, recordedRun } from '../tabs/recorder/recorded-run.ts';
import { type Recording, recorderTab } from '../tabs/recorder/recorder-tab.tsx';
import { recorderTexts } from '../tabs/recorder/recorder-texts.ts';

/** The notes of the recorder about itself. It ends after the last one. */
type Notes = {
  readonly note: string;
  readonly empty: string;
  readonly rerun: string;
  readonly isLast?: boolean;
};

/** A next answer, or the sentence on why there is none. */
type Next = { readonly id: string } & (NextAnswer | { readonly failure: string });

/** Shows the sessions of `vitrine record`, which has served this page, with its notes above. */
export function watchRecorder(place: HTMLElement): void {
  const note = document.createElement('p');
  note.setAttribute('role', 'status');
  place.before(note);
  const channel = localChannel(location.href);
  let line: ReturnType<RemoteChannel['open']> | null = null;
  let rerun = '';
  let isOver = false;
  let whole: Recording | null = null;
  let take = (_recording: Recording): void => undefined;
  const tape = (): Promise<Recording> =>
    new Promise((resolve, reject) => {
      if (whole !== null) return resolve(whole);
      take = resolve;
      setTimeout(reject, 20_000);
      line?.post({ recorder: 'tape' });
    });
  const waiting = new Map<
    string,
    { resolve: (answer: NextAnswer) => void; reject: (error: Error) => void }
  >();
  const next: AskNext['next'] = (inferenceId, change) =>
    new Promise((resolve, reject) => {
      const id = systemEnv.id();
      waiting.set(id, { resolve, reject });
      setTimeout(() => reject(new Error(recorderTexts.ended)), isOver ? 0 : 130_000);
      line?.post({ recorder: { next: { id, inferenceId, change } } });
    });
  const allow = (calls: number): void => line?.post({ recorder: { allow: calls } });
  elsewhere.runOf = (record) => recordedRun(record, { allow, next });
  const tabs = [recorderTab({ rerun: () => rerun, tape })];
  const optionsOf = (dropTrace: string): Parameters<typeof mount>[1] => ({
    tabs,
    texts: { shell: { dropTrace }, trace: { noAgent: recorderTexts.noAgent } },
  });
  const panel = mount(place, optionsOf(''), 'viewer');
  watchSessions({
    open: (onMessage) =>
      (line = channel.open((message) => {
        const { recorder } = message as { readonly recorder?: Notes | Recording | Next };
        if (recorder === undefined) return onMessage(message);
        if ('id' in recorder) {
          const asked = waiting.get(recorder.id);
          if ('failure' in recorder) asked?.reject(new Error(recorder.failure));
          else asked?.resolve(recorder);
          return void waiting.delete(recorder.id);
        }
        if ('tape' in recorder) {
          if (recorder.isWhole) whole = recorder;
          return take(recorder);
        }
        note.textContent = recorder.note;
        rerun = recorder.rerun;
        panel.update(optionsOf(recorder.empty));
        isOver = recorder.isLast === true;
        if (isOver) line?.close();
      })),
  });
}

import { localChannel, type RemoteChannel, watchSessions } from '@vitrine/inspect';
import { mount } from '../shell/mount.tsx';
import { type Recording, recorderTab } from '../tabs/recorder/recorder-tab.tsx';
import { recorderTexts } from '../tabs/recorder/recorder-texts.ts';

/** The notes of the recorder about itself. It ends after the last one. */
type Notes = {
  readonly note: string;
  readonly empty: string;
  readonly rerun: string;
  readonly isLast?: boolean;
};

/** Shows the sessions of `vitrine record`, which has served this page, with its notes above. */
export function watchRecorder(place: HTMLElement): void {
  const note = document.createElement('p');
  note.setAttribute('role', 'status');
  place.before(note);
  const channel = localChannel(location.href);
  let line: ReturnType<RemoteChannel['open']> | null = null;
  let rerun = '';
  let whole: Recording | null = null;
  let take = (_recording: Recording): void => undefined;
  const tape = (): Promise<Recording> =>
    new Promise((resolve, reject) => {
      if (whole !== null) return resolve(whole);
      take = resolve;
      setTimeout(reject, 20_000);
      line?.post({ recorder: 'tape' });
    });
  const tabs = [recorderTab({ rerun: () => rerun, tape })];
  const optionsOf = (dropTrace: string): Parameters<typeof mount>[1] => ({
    tabs,
    texts: { shell: { dropTrace }, trace: { noAgent: recorderTexts.noAgent } },
  });
  const panel = mount(place, optionsOf(''), 'viewer');
  watchSessions({
    open: (onMessage) =>
      (line = channel.open((message) => {
        const { recorder } = message as { readonly recorder?: Notes | Recording };
        if (recorder === undefined) return onMessage(message);
        if ('tape' in recorder) {
          if (recorder.isWhole) whole = recorder;
          return take(recorder);
        }
        note.textContent = recorder.note;
        rerun = recorder.rerun;
        panel.update(optionsOf(recorder.empty));
        if (recorder.isLast === true) line?.close();
      })),
  });
}

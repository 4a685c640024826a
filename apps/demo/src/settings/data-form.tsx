import { useExportSession } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { clearAll } from './clear-all.ts';
import { moveSessions, type Moved } from './move-sessions.ts';
import type { Place } from './settings.ts';
import { placeInAddress, storeOf } from './stores.ts';
import { changeSettings, useSettings } from './use-settings.ts';

const places: readonly { readonly place: Place; readonly name: string; readonly about: string }[] = [
  { place: 'local-storage', name: 'localStorage', about: 'Simple, about 5 MB; files up to 64 kB' },
  { place: 'indexed-db', name: 'IndexedDB', about: 'Room for much more, and for files of any size' },
];

/** The choice of the store in this browser, and the button that deletes all data. */
export function DataForm(): ReactNode {
  const { mutateAsync: exportOne } = useExportSession();
  const settings = useSettings();
  const asked = placeInAddress();
  const place = asked ?? settings.place;
  const [outcome, setOutcome] = useState<Moved | null>(null);
  // The store that the sessions are being moved to.
  const [goal, setGoal] = useState<Place | null>(null);
  const [failure, setFailure] = useState('');
  const move = async (next: Place): Promise<void> => {
    const [from, to] = await Promise.all([storeOf(place), storeOf(next)]);
    // Checks that the new store works before anything is moved.
    await to.list({ limit: 1 });
    setOutcome(await moveSessions({ from, to, exportOne }));
    changeSettings({ place: next });
  };
  const moveTo = (next: Place): void => {
    setGoal(next);
    setOutcome(null);
    setFailure('');
    move(next)
      .catch((thrown: unknown) => setFailure(thrown instanceof Error ? thrown.message : String(thrown)))
      .finally(() => setGoal(null));
  };
  return (
    <fieldset>
      <legend>Where sessions are kept</legend>
      <p className="hint">In this browser only. Your sessions move to the store that you choose.</p>
      {places.map(({ place: each, name, about }) => (
        <label key={each} className="choice">
          <input
            type="radio"
            name="place"
            value={each}
            checked={each === (goal ?? place)}
            disabled={goal !== null || asked !== null}
            onChange={() => moveTo(each)}
          />
          <span>
            {name} <span className="hint">{about}</span>
          </span>
        </label>
      ))}
      <p className="hint" role="status">
        {goal !== null && 'Moving…'}
        {outcome !== null &&
          `${outcome.moved} ${outcome.moved === 1 ? 'session was' : 'sessions were'} moved.`}
        {asked !== null && 'The address of this page sets the store.'}
      </p>
      <p className="problem" role="alert">
        {failure !== '' && `The sessions were not moved: ${failure}`}
      </p>
      {outcome?.stayed.map((sentence) => (
        <p key={sentence} className="problem">
          {sentence}
        </p>
      ))}
      <ClearButton />
    </fieldset>
  );
}

function ClearButton(): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState('');
  const clear = (): void => {
    clearAll().then(
      () => {
        window.location.hash = '';
        window.location.reload();
      },
      (thrown: unknown) => setFailure(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  if (!isAsking)
    return (
      <button type="button" className="vitrine-button" onClick={() => setAsking(true)}>
        Clear everything…
      </button>
    );
  return (
    <div role="group" aria-label="Clear everything?">
      <p>This deletes all sessions, their files and these settings from this browser. You cannot undo it.</p>
      <div className="vitrine-buttons">
        <button type="button" className="vitrine-button danger" onClick={clear}>
          Yes, clear everything
        </button>
        <button type="button" className="vitrine-button" autoFocus onClick={() => setAsking(false)}>
          Keep it
        </button>
      </div>
      <p className="problem" role="alert">
        {failure}
      </p>
    </div>
  );
}

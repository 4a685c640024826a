import { useAgentSession } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { FaultyAgent } from '../faults/faulty-agent.ts';
import { faultyAgents, stateBefore } from '../faults/faulty-agents.ts';
import { markBoxReady } from '../kit/after-box.ts';
import { DockedPanel, type DockedPanelProps, PanelSheet } from '../panel/panel.tsx';
import { faultInAddress, putFaultIntoAddress } from './fault-in-address.ts';
import './gallery.css';

type FaultsProps = {
  /** The button of the panel, on narrow pages. */
  readonly panelButton: ReactNode;
  readonly onChoose: (fault: FaultyAgent) => void;
};

type GalleryProps = Pick<FaultsProps, 'panelButton'> & {
  /** Null on narrow pages. */
  readonly docked: DockedPanelProps | null;
  /** True if the panel stands below the chat. */
  readonly hasSheet: boolean;
};

/**
 * Twenty agents with one fault each. The person chooses one, it runs offline, and the panel tells the fault. The panel is
 * mounted together with the chat, so that it hears the first event.
 */
export function Gallery({ panelButton, docked, hasSheet }: GalleryProps): ReactNode {
  const [chosen, setChosen] = useState(() => faultOf(faultInAddress()));
  const [runs, setRuns] = useState(0);
  useEffect(markBoxReady, []);
  useEffect(() => {
    const onBack = (): void => setChosen(faultOf(faultInAddress()));
    window.addEventListener('popstate', onBack);
    return () => window.removeEventListener('popstate', onBack);
  }, []);
  const choose = (fault: FaultyAgent | null): void => {
    putFaultIntoAddress(fault?.id ?? '');
    setChosen(fault);
  };
  return (
    <>
      {chosen === null ? (
        <Faults panelButton={panelButton} onChoose={choose} />
      ) : (
        <FaultyRun
          key={`${chosen.id} ${runs}`}
          fault={chosen}
          panelButton={panelButton}
          onAgain={() => setRuns(runs + 1)}
          onLeave={() => choose(null)}
        />
      )}
      {docked && <DockedPanel {...docked} />}
      {hasSheet && <PanelSheet />}
    </>
  );
}

function faultOf(id: string | null): FaultyAgent | null {
  return faultyAgents.find((fault) => fault.id === id) ?? null;
}

/** The list of faults, each by the complaint of a person. */
function Faults({ panelButton, onChoose }: FaultsProps): ReactNode {
  return (
    <main className="gallery">
      <div className="vitrine-bar">
        <div className="top-bar">
          <h1 className="brand">Vitrine</h1>
          <span className="spacer" />
          {panelButton}
          <a className="vitrine-button" href="./">
            Back to the chat
          </a>
        </div>
      </div>
      <section className="empty-state">
        <h2>Break something</h2>
        <p>
          Each of these agents has one fault. Choose a complaint: the agent runs in this page, without a
          model, and the panel says what went wrong.
        </p>
        <ul aria-label="Faults">
          {faultyAgents.map((fault) => (
            <li key={fault.id}>
              <button className="vitrine-button example" onClick={() => onChoose(fault)}>
                {fault.title}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}

type FaultyRunProps = Pick<FaultsProps, 'panelButton'> & {
  readonly fault: FaultyAgent;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
};

/** The chat with a faulty agent, which is asked at once. */
function FaultyRun({ fault, panelButton, onAgain, onLeave }: FaultyRunProps): ReactNode {
  const { agent, initialState } = useMemo(
    () => ({ agent: fault.create(), initialState: stateBefore(fault) }),
    [fault],
  );
  return (
    <Chat
      agent={agent}
      initialState={initialState}
      list={null}
      composer={null}
      header={
        <div className="top-bar">
          <button className="vitrine-button" onClick={onLeave}>
            All faults
          </button>
          <span className="spacer" />
          {panelButton}
          <button className="vitrine-button" onClick={onAgain}>
            Run it again
          </button>
        </div>
      }
      empty={null}
    >
      <Question text={fault.question} />
      <aside className="complaint" aria-label="Complaint">
        <p>
          <strong>{fault.title}.</strong> Find out why in the panel.
        </p>
        <details>
          <summary>Show the cause</summary>
          <p>{fault.cause}</p>
        </details>
      </aside>
    </Chat>
  );
}

/** Asks the agent once. Renders nothing. */
function Question({ text }: { readonly text: string }): ReactNode {
  const { sendMessage } = useAgentSession();
  useEffect(() => {
    // Later, because StrictMode takes the first effect back.
    const timer = setTimeout(() => void sendMessage(text));
    return () => clearTimeout(timer);
  }, [sendMessage, text]);
  return null;
}

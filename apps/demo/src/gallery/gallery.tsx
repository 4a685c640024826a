import { useAgentSession } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { GalleryAgent } from '../faults/faulty-agent.ts';
import { faultyAgents, hiddenFaults, stateBefore } from '../faults/faulty-agents.ts';
import { markBoxReady } from '../kit/after-box.ts';
import { DockedPanel, type DockedPanelProps, PanelSheet } from '../panel/panel.tsx';
import { faultInAddress, putFaultIntoAddress } from './fault-in-address.ts';
import './gallery.css';

type FaultsProps = {
  /** The button of the panel, on narrow pages. */
  readonly panelButton: ReactNode;
  readonly onChoose: (fault: GalleryAgent) => void;
};

type GalleryProps = Pick<FaultsProps, 'panelButton'> & {
  /** Null on narrow pages. */
  readonly docked: DockedPanelProps | null;
  /** True if the panel stands below the chat. */
  readonly hasSheet: boolean;
};

/**
 * Thirty agents with one fault each. The person chooses one, it runs offline, and the panel tells the fault. The panel is
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
  const choose = (fault: GalleryAgent | null): void => {
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

function faultOf(id: string | null): GalleryAgent | null {
  return [...faultyAgents, ...hiddenFaults].find((fault) => fault.id === id) ?? null;
}

/** The lists of faults, each by the complaint of a person. */
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
        <h3>The panel names the fault</h3>
        <Complaints label="Faults with a finding" faults={faultyAgents} onChoose={onChoose} />
        <h3>An experiment finds the fault</h3>
        <p>These runs look healthy. The panel runs them again, with one thing changed at a time.</p>
        <Complaints label="Faults without a finding" faults={hiddenFaults} onChoose={onChoose} />
      </section>
    </main>
  );
}

type ComplaintsProps = Pick<FaultsProps, 'onChoose'> & {
  readonly label: string;
  readonly faults: readonly GalleryAgent[];
};

function Complaints({ label, faults, onChoose }: ComplaintsProps): ReactNode {
  return (
    <ul aria-label={label}>
      {faults.map((fault) => (
        <li key={fault.id}>
          <button className="vitrine-button example" onClick={() => onChoose(fault)}>
            {fault.title}
          </button>
        </li>
      ))}
    </ul>
  );
}

type FaultyRunProps = Pick<FaultsProps, 'panelButton'> & {
  readonly fault: GalleryAgent;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
};

/** The chat with a faulty agent, which is asked its questions at once. */
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
      <Questions fault={fault} />
      <aside className="complaint" aria-label="Complaint">
        <p>
          <strong>{fault.title}.</strong> <Advice fault={fault} />
        </p>
        <details>
          <summary>Show the cause</summary>
          <p>{fault.cause}</p>
        </details>
      </aside>
    </Chat>
  );
}

/** The place in the panel where the person finds the cause. */
function Advice({ fault: { id } }: { readonly fault: GalleryAgent }): ReactNode {
  const hidden = hiddenFaults.find((fault) => fault.id === id);
  if (hidden === undefined) return 'Find out why in the panel.';
  const { line, triedModel } = hidden;
  return (
    <>
      No finding tells why. Open the tab Cause of the panel, and write what the agent should do, such as:{' '}
      <em>{line}</em>
      {triedModel !== undefined && <>. Under “Change something yourself”, add the model {triedModel}.</>}
    </>
  );
}

/** Asks the agent each question once, in their order. Renders nothing. */
function Questions({ fault }: { readonly fault: GalleryAgent }): ReactNode {
  const { sendMessage } = useAgentSession();
  useEffect(() => {
    let isLeft = false;
    const ask = async (): Promise<void> => {
      for (const text of [...(fault.askedBefore ?? []), fault.question]) if (!isLeft) await sendMessage(text);
    };
    // Later, because StrictMode takes the first effect back.
    const timer = setTimeout(() => void ask());
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [sendMessage, fault]);
  return null;
}

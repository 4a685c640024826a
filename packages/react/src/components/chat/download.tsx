'use client';

import { Conversation } from '@vitrine/core';
import { type ReactNode, useState } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { Icon } from '../kit/icon-button.tsx';
import { saveFile } from '../kit/save-file.ts';
import { showMenu, useMenu } from '../kit/use-menu.ts';
import { downloadTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';

/** A menu that saves the open conversation: its shown branch as Markdown, or all branches as JSON. No file has the prompt. */
export function Download(): ReactNode {
  const { store } = useAgentSession();
  const { download, failures } = useTexts();
  const texts = { ...downloadTexts, ...download };
  const [problem, setProblem] = useState<string | null>(null);
  const { isOpen, setOpen, props } = useMenu();
  const isEmpty = useAgentState((state) => Conversation.messageIds(state).length === 0);
  if (isEmpty) return null;
  const save = async (ending: 'md' | 'json'): Promise<void> => {
    const { title, state: shown, ...snapshot } = store.getState();
    const state = { ...shown, context: { ...shown.context, systemPrompt: '' } };
    const { exportMessages } = await import('@vitrine/messages');
    const source = { ...snapshot, id: snapshot.id ?? shown.agentId, title, state };
    const text =
      ending === 'md'
        ? exportMessages(source, 'markdown')
        : JSON.stringify(exportMessages(source, 'plain'), null, 1);
    saveFile(title, ending, text);
    setOpen(false);
  };
  return (
    <details {...props}>
      <summary aria-label={texts.label} title={texts.label}>
        <Icon name="download" />
      </summary>
      {isOpen && (
        <div className="vitrine-menu-items" ref={showMenu}>
          {problem !== null && <p role="alert">{problem}</p>}
          {(['md', 'json'] as const).map((ending) => (
            <button
              type="button"
              key={ending}
              onClick={() => void save(ending).catch(() => setProblem(failures.missingPart))}
            >
              {texts[ending]}
            </button>
          ))}
        </div>
      )}
    </details>
  );
}
